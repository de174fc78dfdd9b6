//! Each way in which a Dockerfile asks for packages.

use super::super::published::NotFollowedReason;
use super::*;

#[test]
fn a_dockerfile_of_code_ocean_is_read_with_its_versions() {
    let read = alone(
        "# hash:sha256:0\nARG REGISTRY_HOST=registry.codeocean.com\n\
         FROM $REGISTRY_HOST/codeocean/py-r:python3.8.12-R4.1.0-ubuntu20.04\n\nARG DEBIAN_FRONTEND=noninteractive\n\n\
         RUN apt-get update \\\n    && apt-get install -y --no-install-recommends \\\n        gfortran=4:7.4.0-1ubuntu2.3 \\\n\
         # a remark\n        libxml2-dev=2.9.4 \\\n    && rm -rf /var/lib/apt/lists/*\n\n\
         RUN pip install -U --no-cache-dir \\\n    pip==21 \\\n    numpy==1.18.1 \\\n    tqdm\n\n\
         RUN Rscript -e 'options(warn=2); install.packages(\"remotes\")'\n\
         RUN Rscript -e 'remotes::install_version(\"ggplot2\", \"3.3.0\")'\n\nCOPY postInstall /\nRUN /postInstall\n",
    );
    assert_eq!(
        read.base.as_deref(),
        Some("registry.codeocean.com/codeocean/py-r:python3.8.12-R4.1.0-ubuntu20.04")
    );
    assert_eq!(read.python_version.as_deref(), Some("3.8.12"));
    assert_eq!(read.r_version.as_deref(), Some("4.1.0"));
    assert_eq!(
        packages(&read),
        "numpy==1.18.1 tqdm R:ggplot2@3.3.0 R:remotes deb:gfortran deb:libxml2-dev"
    );
    assert_eq!(read.python[0].line, 16);
    assert_eq!(not_followed(&read), ["22 COPY postInstall /", "23 /postInstall"]);
    assert_eq!(read.adapted.len(), 1, "{:?}", read.adapted);
}

#[test]
fn each_installer_is_followed_and_what_else_a_line_does_is_named() {
    let cases = [
        (
            "RUN python3.9 -m pip install 'numpy>=1.2' scipy[all]==1",
            "numpy>=1.2 scipy[all]==1",
            0,
        ),
        ("RUN [\"pip\", \"install\", \"six==1\"]", "six==1", 0),
        (
            "RUN [ \"/bin/bash\", \"-c\", \\\n  \"set -e && pip3 install six\" ]",
            "six",
            0,
        ),
        (
            "RUN --mount=type=cache,target=/root/.cache pip install six > /dev/null 2>&1",
            "six",
            0,
        ),
        (
            "ENV V=1.16 P='a b'\nRUN pip install six==$V $P \"c==${V}\" ${W:-d}",
            "six==1.16 a b c==1.16 d",
            0,
        ),
        ("RUN X=\"six numpy\" && pip install $X", "six numpy", 0),
        ("RUN pip install six==$UNKNOWN numpy", "numpy", 1),
        (
            "RUN pip install --index-url https://x.example/simple six",
            "six",
            1,
        ),
        (
            "RUN pip install -i https://x.example git+https://x.example/y 'six @ https://z.example'",
            "",
            3,
        ),
        ("RUN pip install -e . ./here x.whl", "", 3),
        ("RUN pip install six -c constraints.txt", "six", 1),
        ("RUN pip install 'six==1; python_version < \"3\"'", "", 1),
        (
            "RUN pip install six && pip install six==2 && pip install six",
            "six==2",
            0,
        ),
        (
            "RUN conda install -y -c conda-forge numpy=1.16 pandas=1.2.3 a=1.2.3=py37_0 'b>=2' c==1 conda-forge::pytorch",
            "numpy==1.16.* pandas==1.2.3 a==1.2.3 b>=2 c==1 torch",
            0,
        ),
        (
            "RUN mamba install python=3.7 r-base=4.0.2 r-ggplot2 cudatoolkit && conda clean -ya",
            "",
            2,
        ),
        ("RUN conda env update -f environment.yml", "", 1),
        (
            "RUN R -e \"install.packages(c('a1', 'b2'), repos='https://cran.r-project.org')\"",
            "R:a1 R:b2",
            0,
        ),
        (
            "RUN Rscript -e 'if (!require(\"a1\")) { install.packages(\"a1\") }; devtools::install_version(\"b2\", version = \"1.2-3\")'",
            "R:a1 R:b2@1.2-3",
            0,
        ),
        (
            "RUN Rscript -e 'install.packages(\"a1\", repos=\"https://mran.example/snapshot/2020-01-01\")'",
            "R:a1",
            1,
        ),
        (
            "RUN Rscript -e 'remotes::install_github(\"x/y\"); BiocManager::install(\"limma\"); x <- 1'",
            "",
            3,
        ),
        (
            "RUN Rscript install.R && install2.r --error --deps TRUE -n 4 a1 --skipinstalled b2",
            "R:a1 R:b2",
            1,
        ),
        (
            "RUN sudo apt install -qq -t stable git:amd64 curl/sid ./x.deb",
            "deb:curl deb:git",
            1,
        ),
        ("RUN curl -s https://x.example | bash && wget x || true", "", 3),
        ("RUN pip install 'six", "", 1),
        ("RUN $(echo pip) install six", "", 2),
        (
            "RUN cd /x && make install\nUSER root\nENTRYPOINT [\"x\"]\nWORKDIR /code",
            "",
            4,
        ),
        (
            "RUN <<EOF\npip install six\nEOF\nRUN pip install numpy",
            "numpy",
            1,
        ),
        ("RUN uv pip install --system six", "six", 0),
        ("# escape=`\nRUN pip install `\n  six", "six", 0),
    ];
    let mut different = Vec::new();
    for (text, expected, number) in cases {
        let read = alone(&format!("{}\n", text.replacen("RUN", "FROM x\nRUN", 1)));
        if packages(&read) != expected || read.not_followed.len() != number {
            different.push(format!("{text}: {} {:?}", packages(&read), not_followed(&read)));
        }
    }
    assert!(different.is_empty(), "{different:#?}");
}

#[test]
fn files_of_requirements_are_found_where_they_were_copied_from() {
    let file = "# ours\nnumpy==1.2 # why\nscipy==1 \\\n  --hash=sha256:0\n-r more.txt\n--extra-index-url https://x\n-e git+https://x\n\n";
    for (copy, named, stands) in [
        (
            "COPY requirements.txt /tmp/",
            "/tmp/requirements.txt",
            "requirements.txt",
        ),
        (
            "COPY environment/requirements.txt .",
            "requirements.txt",
            "environment/requirements.txt",
        ),
        ("COPY [\"code/reqs.txt\", \"/r.txt\"]", "/r.txt", "code/reqs.txt"),
        ("WORKDIR /x", "/somewhere/requirements.txt", "requirements.txt"),
    ] {
        let text = format!("FROM python:3.8\n{copy}\nRUN pip install -r {named}");
        let read = beside(&text, &[(stands, file)]);
        assert_eq!(packages(&read), "numpy==1.2 scipy==1", "{copy}");
        let copies = usize::from(copy.starts_with("COPY"));
        assert_eq!(
            read.not_followed.len(),
            3 + copies,
            "{copy}: {:?}",
            not_followed(&read)
        );
    }
    let lost = alone("FROM x\nRUN pip install -r ../../etc/passwd");
    assert_eq!(lost.not_followed[0].why, NotFollowedReason::NoFile);
    let utf16: Vec<u8> = [0xff, 0xfe]
        .into_iter()
        .chain("six==1\r\n".encode_utf16().flat_map(u16::to_le_bytes))
        .collect();
    let read = read(b"FROM x\nRUN pip install -rr.txt", &|_| Some(utf16.clone())).unwrap();
    assert_eq!(packages(&read), "six==1");
}

#[test]
fn the_last_stage_counts_with_the_one_that_it_begins_with() {
    let read = alone(
        "FROM python:3.8 AS Base\nRUN pip install six\nFROM r-base:4.2.2 as other\nRUN apt-get install git\n\
         FROM base\nRUN pip install numpy",
    );
    assert_eq!(read.base.as_deref(), Some("python:3.8"));
    assert_eq!(packages(&read), "six numpy");
    assert_eq!(not_followed(&read), ["3 FROM r-base:4.2.2"]);
}

#[test]
fn versions_of_languages_stand_in_names_of_images() {
    for (image, python, r) in [
        ("python:3.8", Some("3.8"), None),
        ("python:3.11.4-slim", Some("3.11.4"), None),
        ("r-base:4.2.2", None, Some("4.2.2")),
        ("rocker/r-ver:4.1", None, Some("4.1")),
        ("rocker/rstudio:4.0.5", None, Some("4.0.5")),
        (
            "x/codeocean/miniconda3:4.9.2-cuda11.7.0-cudnn8-python3.8-ubuntu20.04",
            Some("3.8"),
            None,
        ),
        (
            "x/codeocean/r-studio:1.4.1106-r4.0.5-ubuntu18.04",
            None,
            Some("4.0.5"),
        ),
        (
            "x/codeocean/miniconda3:4.7.10-cuda10.1-cudnn7-ubuntu18.04",
            None,
            None,
        ),
        ("ubuntu:20.04", None, None),
    ] {
        let read = alone(&format!("FROM --platform=linux/amd64 {image}"));
        assert_eq!(read.base.as_deref(), Some(image));
        assert_eq!(read.python_version.as_deref(), python, "{image}");
        assert_eq!(read.r_version.as_deref(), r, "{image}");
    }
    let conda = alone("FROM x\nRUN conda install python=3.7.4 r-base=4.0");
    assert_eq!(conda.python_version.as_deref(), Some("3.7.4"));
    assert_eq!(conda.r_version.as_deref(), Some("4.0"));
}
