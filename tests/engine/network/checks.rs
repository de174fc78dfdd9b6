//! Proposed addresses, asked for their heads.

use reprise::network::check;
use reprise::tools::contract::Request;

use super::server::{Server, Setup, page, status};

#[tokio::test]
async fn addresses_are_asked_for_their_heads() {
    let server = Server::start(|asked| match (asked.method.as_str(), asked.target.as_str()) {
        (_, "/robots.txt") => status(404, &[]),
        ("HEAD", "/dated") => status(200, &[("Last-Modified", "Tue, 05 Mar 2019 10:00:00 GMT")]),
        ("HEAD", "/no-heads") => status(405, &[]),
        (_, "/moved") => status(301, &[("Location", "/dated?utm_source=x")]),
        (_, "/login") => status(401, &[]),
        (_, "/dated" | "/dated?utm_source=x" | "/no-heads") => page("here"),
        _ => status(404, &[]),
    });
    let mut urls: Vec<String> = ["/dated#top", "/no-heads", "/moved", "/login", "/gone"]
        .iter()
        .map(|path| server.url(path))
        .collect();
    urls.push("see the authors' page".to_owned());
    urls.push("http://10.0.0.1/".to_owned());
    urls.push("http://refused.example/".to_owned());
    let request = Request::CheckAddresses {
        urls: urls.clone(),
        refused: vec!["refused.example".to_owned()],
    };
    let seen = Setup::default().web().ask(&request).await.unwrap();
    let checks = check::read(&seen.text);
    assert_eq!(
        checks.iter().map(|one| &one.url).collect::<Vec<_>>(),
        urls.iter().collect::<Vec<_>>()
    );
    let statuses: Vec<_> = checks.iter().map(|one| one.status).collect();
    assert_eq!(
        statuses[..5],
        [Some(200), Some(200), Some(200), Some(401), Some(404)]
    );
    assert_eq!(checks[0].date.as_deref(), Some("2019-03-05"));
    assert_eq!(checks[0].canonical, Some(server.url("/dated")));
    assert_eq!(checks[2].arrived, Some(server.url("/dated")));
    let dead: Vec<_> = checks.iter().map(check::Check::is_dead).collect();
    assert_eq!(dead, [false, false, false, false, true, true, false, false]);
    assert!(
        checks[6]
            .problem
            .as_deref()
            .unwrap()
            .contains("not on the public web")
    );
    assert!(checks[7].problem.as_deref().unwrap().contains("refused"));
    let asked = server.asked();
    assert!(
        asked
            .iter()
            .any(|one| one.method == "GET" && one.target == "/no-heads")
    );
    assert!(
        !asked
            .iter()
            .any(|one| one.method == "GET" && one.target == "/dated")
    );
}
