//! The places of the benchmark's own containers, which its published code names.

use std::fs;

use reprise::domain::execution::Tier;

use crate::harness::Range;

#[tokio::test]
async fn data_and_work_are_found_at_the_published_places() {
    for tier in [Tier::Namespaces, Tier::Docker] {
        let Some(range) = Range::open(tier).await else {
            continue;
        };
        let came = range
            .python(
                "import os\n\
                 print(open('/app/data/a.csv').read().split(), sorted(os.listdir('/app')))\n\
                 open('/app/artifacts/made.txt', 'w').write('made')\n\
                 try:\n    open('/app/data/a.csv', 'w')\nexcept OSError as error:\n    print(error.errno)\n\
                 try:\n    open('/app/other', 'w')\nexcept OSError as error:\n    print(error.errno)\n",
            )
            .await;
        // Errno 30: the file system is read-only.
        assert_eq!(
            came.text(),
            "['x', '1'] ['artifacts', 'data']\n30\n30\n",
            "{tier:?} {}",
            came.errors()
        );
        assert_eq!(
            fs::read_to_string(range.workspace.join("work/made.txt")).unwrap(),
            "made"
        );
        assert_eq!(
            fs::read_to_string(range.workspace.join("replication_data/a.csv")).unwrap(),
            "x\n1\n"
        );
    }
}
