//! Failures of compiling an R package: the header or library that its log
//! says is missing, and the Debian package that has it.

use crate::domain::lazy_regex::LazyRegex;

static HEADER: LazyRegex =
    LazyRegex::new(r"fatal error: ([A-Za-z0-9_./+-]{1,80}): No such file or directory");
static LIBRARY: LazyRegex =
    LazyRegex::new(r"(?:/ld: cannot find |/ld: .*cannot find )(-l[A-Za-z0-9_.+-]{1,60})");
static CONFIGURE: LazyRegex = LazyRegex::new(r"\*? ?deb: ?([a-z0-9][a-z0-9+.-]{1,60})");

/// Headers to the Debian package that has them.
const HEADERS: &[(&str, &str)] = &[
    ("libxml/", "libxml2-dev"),
    ("curl/", "libcurl4-openssl-dev"),
    ("openssl/", "libssl-dev"),
    ("gsl/", "libgsl-dev"),
    ("nlopt", "libnlopt-dev"),
    ("gmp.h", "libgmp-dev"),
    ("mpfr.h", "libmpfr-dev"),
    ("png.h", "libpng-dev"),
    ("jpeglib.h", "libjpeg-dev"),
    ("tiff", "libtiff-dev"),
    ("ft2build.h", "libfreetype-dev"),
    ("freetype", "libfreetype-dev"),
    ("fontconfig/", "libfontconfig-dev"),
    ("cairo", "libcairo2-dev"),
    ("hb.h", "libharfbuzz-dev"),
    ("fribidi", "libfribidi-dev"),
    ("unicode/", "libicu-dev"),
    ("zlib.h", "zlib1g-dev"),
    ("bzlib.h", "libbz2-dev"),
    ("lzma.h", "liblzma-dev"),
    ("sqlite3.h", "libsqlite3-dev"),
    ("libpq-fe.h", "libpq-dev"),
    ("mysql.h", "default-libmysqlclient-dev"),
    ("geos_c.h", "libgeos-dev"),
    ("proj.h", "libproj-dev"),
    ("gdal.h", "libgdal-dev"),
    ("udunits2.h", "libudunits2-dev"),
    ("git2.h", "libgit2-dev"),
    ("glpk.h", "libglpk-dev"),
    ("fftw3.h", "libfftw3-dev"),
    ("sodium.h", "libsodium-dev"),
    ("v8.h", "libnode-dev"),
    ("JAGS/", "jags"),
];

/// The header that lines say is missing, with the Debian package that has it.
fn missing(lines: &[String]) -> Option<(String, Option<&'static str>)> {
    for line in lines {
        for pattern in [&HEADER, &LIBRARY] {
            if let Some(found) = pattern.captures(line) {
                let what = found[1].to_owned();
                let package = HEADERS
                    .iter()
                    .find(|(start, _)| what.starts_with(start) || what.ends_with(&format!("/{start}")))
                    .map(|(_, package)| *package);
                return Some((what, package));
            }
        }
    }
    None
}

/// Why the package `name` could not be installed, and the way out.
pub fn summary(name: &str, lines: &[String]) -> String {
    match missing(lines) {
        Some((what, Some(package))) => format!(
            "The R package `{name}` could not be compiled, because `{what}` is missing: add `{package}` to \
             packages.other."
        ),
        Some((what, None)) => format!(
            "The R package `{name}` could not be compiled, because `{what}` is missing: add the Debian package \
             that has it to packages.other."
        ),
        None => match lines.iter().find_map(|line| CONFIGURE.captures(line)) {
            Some(found) => format!(
                "The R package `{name}` could not be installed, because a library is missing: add `{}` to \
                 packages.other.",
                &found[1]
            ),
            None => format!(
                "The R package `{name}` could not be installed; the log tells why. Choose another version or \
                 do without it."
            ),
        },
    }
}
