//! Journeys of requests: redirects, names that change their mind, robots, lists, pauses.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU32, Ordering};

use reprise::study::manifest::WebTable;
use reprise::tools::contract::Request;
use serde_json::Value;

use super::pages::{fetch, head};
use super::server::{Answer, Finds, Names, Server, Setup, page, status};

fn no_robots(target: &str) -> Option<Answer> {
    (target == "/robots.txt").then(|| status(404, &[]))
}

#[tokio::test]
async fn redirects_on_one_host_are_followed_and_named() {
    let server = Server::start(|asked| {
        no_robots(&asked.target).unwrap_or_else(|| match asked.target.as_str() {
            "/old" => status(301, &[("Location", "newer/page#part")]),
            "/newer/page" => status(307, &[("Location", "/last?x=1")]),
            "/loop" => status(302, &[("Location", "/loop")]),
            _ => page("<p>here</p>"),
        })
    });
    let web = Setup::default().web();
    let text = fetch(&web, &server.url("/old")).await;
    assert_eq!(head(&text, "url"), Some(server.url("/last?x=1")));
    assert_eq!(head(&text, "requested"), Some(server.url("/old")));
    let (before, _) = text.split_once("\n\n").unwrap();
    let steps: Vec<_> = before
        .lines()
        .filter(|line| line.starts_with("redirect: "))
        .collect();
    assert_eq!(
        steps,
        [
            format!("redirect: 301 {}", server.url("/newer/page")),
            format!("redirect: 307 {}", server.url("/last?x=1"))
        ]
    );
    let failed = head(&fetch(&web, &server.url("/loop")).await, "failed").unwrap();
    assert!(failed.contains("redirected more than 10 times"), "{failed}");
}

#[tokio::test]
async fn redirects_to_private_addresses_are_refused() {
    let inside = Server::at("127.0.0.2:0".parse().unwrap(), |_| page("secret")).unwrap();
    let port = inside.address.port();
    let server = Server::start(move |asked| {
        no_robots(&asked.target).unwrap_or_else(|| {
            let to = match asked.target.as_str() {
                "/neighbour" => format!("http://127.0.0.2:{port}/"),
                "/mapped" => format!("http://[::ffff:127.0.0.2]:{port}/"),
                "/number" => format!("http://2130706434:{port}/"),
                "/metadata" => "http://169.254.169.254/latest/meta-data/".to_owned(),
                "/file" => "file:///etc/passwd".to_owned(),
                "/user" => format!("http://a:b@127.0.0.2:{port}/"),
                _ => "http://[::1]/".to_owned(),
            };
            Answer::Whole(302, vec![("Location", to)], Vec::new())
        })
    });
    let web = Setup::default().web();
    for (path, reason) in [
        ("/neighbour", "is not on the public web"),
        ("/mapped", "is not on the public web"),
        ("/number", "is not on the public web"),
        ("/metadata", "is not on the public web"),
        ("/file", "less safe"),
        ("/user", "user name or a password"),
        ("/six", "is not on the public web"),
    ] {
        let text = fetch(&web, &server.url(path)).await;
        let failed = head(&text, "failed").unwrap();
        assert!(
            failed.contains(reason) && !text.contains("secret"),
            "{path}: {text}"
        );
    }
    assert!(inside.asked().is_empty(), "{:?}", inside.asked());
}

#[tokio::test]
async fn another_host_is_named_where_it_needs_an_approval_of_its_own() {
    let there = Server::start(|_| page("there"));
    let to = format!("http://other.example:{}/x", there.address.port());
    let target = to.clone();
    let here = Server::start(move |asked| {
        no_robots(&asked.target).unwrap_or_else(|| status(302, &[("Location", &target)]))
    });
    let web = |across| {
        let setup = Setup {
            across,
            ..Setup::default()
        };
        setup.web()
    };
    let text = fetch(&web(false), &here.url("/")).await;
    assert_eq!(head(&text, "moved"), Some(to));
    assert!(there.asked().is_empty());
    assert!(fetch(&web(true), &here.url("/")).await.ends_with("there"));
}

#[tokio::test]
async fn a_name_that_changes_its_mind_leads_nowhere() {
    // Two servers on one port, of which the second address is not opened.
    let (open, closed) = (0..50)
        .find_map(|_| {
            let open = Server::start(|asked| no_robots(&asked.target).unwrap_or_else(|| page("open")));
            let at = SocketAddr::new("127.0.0.2".parse().unwrap(), open.address.port());
            Some((open, Server::at(at, |_| page("secret")).ok()?))
        })
        .unwrap();
    let web = Setup {
        names: Names::new(&["127.0.0.1", "127.0.0.2"]),
        ..Setup::default()
    }
    .web();
    let url = format!("http://rebind.example:{}/", open.address.port());
    let text = fetch(&web, &url).await;
    let failed = head(&text, "failed").unwrap();
    assert!(
        failed.contains("leads to an address that is not on the public web"),
        "{text}"
    );
    assert_eq!(open.targets(), ["/robots.txt"]);
    assert!(closed.asked().is_empty(), "{:?}", closed.asked());
}

#[tokio::test]
async fn robots_are_asked_once_and_obeyed() {
    let server = Server::start(|asked| match asked.target.as_str() {
        "/robots.txt" => Answer::Whole(
            200,
            Vec::new(),
            b"User-agent: *\nDisallow: /private\nCrawl-delay: 4".to_vec(),
        ),
        _ => page("open"),
    });
    let timer = std::sync::Arc::new(super::server::Told::default());
    let web = Setup {
        timer: timer.clone(),
        ..Setup::default()
    }
    .web();
    for _ in 0..2 {
        let text = fetch(&web, &server.url("/private/x")).await;
        assert!(head(&text, "failed").unwrap().contains("robots.txt"), "{text}");
        assert!(fetch(&web, &server.url("/public")).await.ends_with("open"));
    }
    assert_eq!(server.targets(), ["/robots.txt", "/public", "/public"]);
    assert_eq!(*timer.0.lock().unwrap(), [4]);
    let failing = Server::start(|_| status(500, &[]));
    let text = fetch(&web, &failing.url("/x")).await;
    assert!(head(&text, "failed").unwrap().contains("robots.txt"), "{text}");
}

#[tokio::test]
async fn a_pause_that_a_server_asks_for_is_granted_within_bounds() {
    let times = AtomicU32::new(0);
    let server = Server::start(move |asked| {
        no_robots(&asked.target).unwrap_or_else(|| match asked.target.as_str() {
            "/busy" if times.fetch_add(1, Ordering::SeqCst) < 2 => status(429, &[("Retry-After", "3")]),
            "/shut" => status(503, &[("Retry-After", "3600")]),
            _ => page("served"),
        })
    });
    let timer = std::sync::Arc::new(super::server::Told::default());
    let web = Setup {
        timer: timer.clone(),
        ..Setup::default()
    }
    .web();
    assert!(fetch(&web, &server.url("/busy")).await.ends_with("served"));
    assert_eq!(*timer.0.lock().unwrap(), [3, 3]);
    assert_eq!(
        head(&fetch(&web, &server.url("/shut")).await, "status").as_deref(),
        Some("503")
    );
    assert_eq!(timer.0.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn what_is_blocked_is_neither_shown_nor_asked() {
    let server = Server::start(|_| page("the answer"));
    let web = Setup {
        table: WebTable {
            block: vec!["spoilers.example.org".to_owned()],
            replication: vec!["https://osf.io/abcde".to_owned()],
            ..WebTable::default()
        },
        engine: Finds(vec![
            "https://spoilers.example.org/answers",
            "https://osf.io/abcde/files",
            "https://zenodo.org/records/1",
        ]),
        ..Setup::default()
    }
    .web();
    let request = Request::WebSearch {
        query: "income survey".to_owned(),
        limit: 10,
    };
    let text = web.ask(&request).await.unwrap().text;
    let answer: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(answer["withheld"], 2);
    assert_eq!(answer["results"].as_array().unwrap().len(), 1);
    assert_eq!(answer["results"][0]["url"], "https://zenodo.org/records/1");
    assert_eq!(answer["results"][0]["status"], "not opened");
    assert!(!text.contains("spoilers") && !text.contains("abcde"), "{text}");
    let url = format!("http://spoilers.example.org:{}/", server.address.port());
    let page = fetch(&web, &url).await;
    assert_eq!(head(&page, "withheld").as_deref(), Some("1"));
    assert!(server.asked().is_empty());
}
