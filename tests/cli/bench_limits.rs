//! Caps on all cells of an agent, beside those on all cells.

use std::fs;

use serde_json::{Value, json};

use super::bench::{parsed, place};
use super::support::Place;

/// Turns stand for money: recordings cost none. Each cell needs 19.
fn file(of_all: &str, of_capped: &str) -> String {
    format!(
        "name = 'capped'\nrepeats = 2\n{of_all}\n\
         settings = {{ approve = 'auto', sandbox = 'local', code-mode = 'native', no-probe = true }}\n\
         [[studies]]\npaths = ['slope']\n\
         [[agents]]\nname = 'capped'\nsettings.model = 'recorded:native'\n{of_capped}\n\
         [[agents]]\nname = 'free'\nsettings.model = 'recorded:native'\n"
    )
}

/// The answered calls of the cells of an agent.
fn turns(place: &Place, agent: &str) -> usize {
    let cells = fs::read_dir(place.path().join("bench/cells")).unwrap();
    let journals = cells.flatten().filter_map(|cell| {
        let is_of = cell
            .file_name()
            .to_string_lossy()
            .starts_with(&format!("slope-{agent}-"));
        is_of.then(|| fs::read_to_string(cell.path().join("journal.jsonl")).unwrap_or_default())
    });
    journals
        .map(|journal| journal.matches(r#""kind":"model_answered""#).count())
        .sum()
}

fn results(found: &Value) -> Vec<(String, String)> {
    let cells = found["cells"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    cells
        .map(|cell| (text(&cell["agent"]), text(&cell["result"])))
        .collect()
}

fn rewrite(place: &Place, of_all: &str, of_capped: &str) {
    fs::write(place.path().join("bench.toml"), file(of_all, of_capped)).unwrap();
}

#[test]
fn the_cells_of_an_agent_stop_at_its_caps_and_those_of_others_go_on() {
    let place = place(&file("limits.max-turns = 1000", "limits = { max-turns = 25 }"));
    let plan = place.call(&["bench", "bench.toml", "--plan"]);
    for line in [
        "limits of all cells together: 1,000 turns",
        "limits of all cells of capped: 25 turns",
    ] {
        assert!(plan.stdout.contains(line), "{}{}", plan.stdout, plan.stderr);
    }
    let planned = parsed(&place.call(&["bench", "bench.toml", "--plan", "--json"]));
    assert_eq!(planned["limits"]["agents"]["capped"]["turns"], 25, "{planned}");
    let ids = |planned: &Value| -> Vec<Value> {
        let cells = planned["cells"].as_array().unwrap().iter();
        cells.map(|cell| cell["plan"]["cell"].clone()).collect()
    };
    let before = ids(&planned);
    let ran = place.call(&["bench", "bench.toml", "--json", "--quiet"]);
    assert_eq!(ran.status, 6, "{}{}", ran.stdout, ran.stderr);
    assert!(
        turns(&place, "capped") <= 25 && turns(&place, "capped") > 19,
        "{}",
        turns(&place, "capped")
    );
    assert_eq!(turns(&place, "free"), 2 * 19);
    let found = parsed(&ran);
    // A cap on all cells of an agent says nothing of what it is worth.
    assert!(
        results(&found)
            .iter()
            .any(|cell| *cell == ("capped".to_owned(), "unscored".to_owned())),
        "{found}"
    );
    assert!(
        !results(&found).iter().any(|(_, result)| result == "failed"),
        "{found}"
    );
    let status = place.call(&["bench", "status", "bench.toml"]);
    assert!(
        status.stdout.contains("limits of all cells of capped: 25 turns"),
        "{}",
        status.stdout
    );

    // A larger one goes on with the same cells.
    rewrite(&place, "limits.max-turns = 1000", "limits = { max-turns = 38 }");
    let again = place.call(&["bench", "bench.toml", "--json", "--quiet"]);
    assert_eq!(again.status, 0, "{}{}", again.stdout, again.stderr);
    assert_eq!((turns(&place, "capped"), turns(&place, "free")), (38, 38));
    assert!(results(&parsed(&again)).iter().all(|(_, result)| result == "met"));
    assert_eq!(
        ids(&parsed(&place.call(&["bench", "bench.toml", "--plan", "--json"]))),
        before
    );
}

#[test]
fn a_cell_by_itself_has_no_more_than_its_part_of_its_agent() {
    let place = place(&file("", "limits = { max-turns = 30 }"));
    let plan = || parsed(&place.call(&["bench", "plan", "bench.toml", "--json"]));
    let cells: Vec<(String, String)> = plan()["cells"]
        .as_array()
        .unwrap()
        .iter()
        .map(|cell| {
            let text = |name: &str| cell["plan"][name].as_str().unwrap().to_owned();
            (text("agent"), text("cell"))
        })
        .collect();
    let allotted = |cell: &str| {
        let plan = fs::read(place.path().join("bench/bench.json")).unwrap();
        let plan = serde_json::from_slice::<Value>(&plan).unwrap();
        let cells = plan["cells"].as_array().unwrap().iter();
        let own = cells.clone().find(|one| one["cell"] == cell).unwrap();
        own["allotted"]["turns"].clone()
    };
    let work = |cell: &str| place.call(&["bench", "work", "bench.toml", "--cell", cell, "--quiet"]);
    for (_, cell) in cells.iter().filter(|(agent, _)| agent == "free") {
        let worked = work(cell);
        assert_eq!(worked.status, 0, "{}{}", worked.stdout, worked.stderr);
        assert_eq!(allotted(cell), json!(null));
    }
    let capped: Vec<&String> = (cells.iter().filter(|(agent, _)| agent == "capped"))
        .map(|(_, cell)| cell)
        .collect();
    assert_eq!((work(capped[0]).status, allotted(capped[0])), (6, json!(15)));
    assert_eq!((work(capped[1]).status, allotted(capped[1])), (6, json!(15)));
    plan();
    for cell in &capped {
        work(cell);
    }
    assert_eq!((turns(&place, "capped"), turns(&place, "free")), (30, 38));
    let none = place.call(&["bench", "work", "bench.toml", "--cell", capped[1], "--quiet"]);
    assert!(
        none.status == 6 && none.stderr.contains("nothing is left of [limits] for cell"),
        "{}",
        none.stderr
    );
}

#[test]
fn caps_of_an_agent_that_are_none_are_refused_with_its_name() {
    let place = place("");
    for (limits, named) in [
        ("limits = { max-cost = 'much' }", "`limits` of the agent `capped`"),
        (
            "limits = { max-run = 3 }",
            "`agents.limits.max-run` is not a known key",
        ),
    ] {
        rewrite(&place, "", limits);
        let refused = place.call(&["bench", "bench.toml", "--plan"]);
        assert!(
            refused.status == 2 && refused.stderr.contains(named),
            "{limits}: {}",
            refused.stderr
        );
    }
}
