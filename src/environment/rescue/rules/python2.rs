//! Python 2, written as Python 3 where the two agree.
//!
//! What would go on with other figures (division, rounding, draws) is not looked for here: `propose`
//! leaves a script alone that holds any of it.

use super::imports;
use super::print_statement;
use crate::domain::lazy_regex::LazyRegex;
use crate::environment::rescue::masked::Masked;
use crate::environment::rescue::rewrite::Rewrite;
use crate::environment::rescue::script::ScriptLanguage;

/// An expression over code without strings and comments, and what stands in its place.
struct Replacement {
    old: LazyRegex,
    new: &'static str,
}

static REPLACEMENTS: [Replacement; 41] = [
    Replacement {
        old: LazyRegex::new(r"(?m)^([ \t]*except[ \t]+(?:[\w.]+|\([\w., \t]+\)))[ \t]*,[ \t]*(\w+)[ \t]*:"),
        new: "${1} as ${2}:",
    },
    Replacement {
        old: LazyRegex::new(r"(?m)^([ \t]*raise[ \t]+[\w.]+)[ \t]*,[ \t]*([^,\n]+?)[ \t]*$"),
        new: "${1}(${2})",
    },
    Replacement {
        old: LazyRegex::new(r"<>"),
        new: "!=",
    },
    Replacement {
        old: LazyRegex::new(r"(^|[^\w.])(\d+)[lL]\b"),
        new: "${1}${2}",
    },
    Replacement {
        old: LazyRegex::new(r"(^|[^\w.])0([0-7]+)\b"),
        new: "${1}0o${2}",
    },
    Replacement {
        old: LazyRegex::new(r"`([^`\n]+)`"),
        new: "repr(${1})",
    },
    Replacement {
        old: LazyRegex::new(r"(^|[^\w.])xrange\("),
        new: "${1}range(",
    },
    Replacement {
        old: LazyRegex::new(r"(^|[^\w.])raw_input\("),
        new: "${1}input(",
    },
    Replacement {
        old: LazyRegex::new(r"(^|[^\w.])unicode\("),
        new: "${1}str(",
    },
    Replacement {
        old: LazyRegex::new(r"(^|[^\w.])unichr\("),
        new: "${1}chr(",
    },
    Replacement {
        old: LazyRegex::new(r"(^|[^\w.])long\("),
        new: "${1}int(",
    },
    Replacement {
        old: LazyRegex::new(r"(^|[^\w.])basestring\b"),
        new: "${1}str",
    },
    Replacement {
        old: LazyRegex::new(r"\b([A-Za-z_][\w.]*)\.has_key\(([^()\n]+)\)"),
        new: "(${2} in ${1})",
    },
    Replacement {
        old: LazyRegex::new(r"\.(?:iter|view)(items|keys|values)\(\)"),
        new: ".${1}()",
    },
    Replacement {
        old: LazyRegex::new(r"\b([A-Za-z_][\w.]*)\.next\(\)"),
        new: "next(${1})",
    },
    Replacement {
        old: LazyRegex::new(r"\bsys\.maxint\b"),
        new: "sys.maxsize",
    },
    Replacement {
        old: LazyRegex::new(r"\bos\.getcwdu\b"),
        new: "os.getcwd",
    },
    Replacement {
        old: LazyRegex::new(r"(?m)^([ \t]*)import[ \t]+cPickle[ \t]*$"),
        new: "${1}import pickle as cPickle",
    },
    Replacement {
        old: LazyRegex::new(r"(?m)^([ \t]*)import[ \t]+cPickle[ \t]+as\b"),
        new: "${1}import pickle as",
    },
    Replacement {
        old: LazyRegex::new(r"(?m)^([ \t]*)from[ \t]+c?StringIO[ \t]+import\b"),
        new: "${1}from io import",
    },
    Replacement {
        old: LazyRegex::new(r"(?m)^([ \t]*)import[ \t]+(c?StringIO)[ \t]*$"),
        new: "${1}import io as ${2}",
    },
    Replacement {
        old: LazyRegex::new(r"(?m)^([ \t]*)import[ \t]+urllib2[ \t]*$"),
        new: "${1}import urllib.request as urllib2",
    },
    Replacement {
        old: LazyRegex::new(r"(?m)^([ \t]*)import[ \t]+urlparse[ \t]*$"),
        new: "${1}import urllib.parse as urlparse",
    },
    Replacement {
        old: LazyRegex::new(r"(?m)^([ \t]*)from[ \t]+urlparse[ \t]+import\b"),
        new: "${1}from urllib.parse import",
    },
    Replacement {
        old: LazyRegex::new(r"(?m)^([ \t]*)import[ \t]+ConfigParser[ \t]*$"),
        new: "${1}import configparser as ConfigParser",
    },
    Replacement {
        old: LazyRegex::new(r"(?m)^([ \t]*)import[ \t]+Queue[ \t]*$"),
        new: "${1}import queue as Queue",
    },
    Replacement {
        old: LazyRegex::new(r"(?m)^([ \t]*)import[ \t]+urllib[ \t]*$"),
        new: "${1}import urllib.parse, urllib.request",
    },
    Replacement {
        old: LazyRegex::new(r"\burllib\.(urlopen|urlretrieve)\("),
        new: "urllib.request.${1}(",
    },
    Replacement {
        old: LazyRegex::new(r"\burllib\.(urlencode|quote|quote_plus|unquote|unquote_plus)\("),
        new: "urllib.parse.${1}(",
    },
    Replacement {
        old: LazyRegex::new(r"(?m)^([ \t]*)from[ \t]+itertools[ \t]+import[ \t]+(izip|imap|ifilter)[ \t]*$"),
        new: "${1}import itertools",
    },
    Replacement {
        old: LazyRegex::new(r"(^|[^\w.])(?:itertools\.)?i(zip|map|filter)\("),
        new: "${1}${2}(",
    },
    Replacement {
        old: LazyRegex::new(r"\bitertools\.izip_longest\("),
        new: "itertools.zip_longest(",
    },
    Replacement {
        old: LazyRegex::new(r"\bstring\.(letters|lowercase|uppercase)\b"),
        new: "string.ascii_${1}",
    },
    Replacement {
        old: LazyRegex::new(r"\bstring\.maketrans\("),
        new: "str.maketrans(",
    },
    Replacement {
        old: LazyRegex::new(r"\bstring\.atoi\("),
        new: "int(",
    },
    Replacement {
        old: LazyRegex::new(r"\bstring\.atof\("),
        new: "float(",
    },
    Replacement {
        old: LazyRegex::new(r"\bstring\.(lower|upper|strip|lstrip|rstrip|split)\(([A-Za-z_][\w.]*)\)"),
        new: "${2}.${1}()",
    },
    Replacement {
        old: LazyRegex::new(
            r"\bstring\.(ljust|rjust|center|zfill|split|replace|find|count|strip)\(([A-Za-z_][\w.]*),[ \t]*",
        ),
        new: "${2}.${1}(",
    },
    Replacement {
        old: LazyRegex::new(r"\bstring\.join\(([A-Za-z_][\w.]*),[ \t]*([A-Za-z_]\w*)\)"),
        new: "${2}.join(${1})",
    },
    Replacement {
        old: LazyRegex::new(r"(?m)^([ \t]*)reload\(sys\)[ \t]*;?[ \t]*$"),
        new: "${1}pass  # text is Unicode",
    },
    Replacement {
        old: LazyRegex::new(r"(?m)^([ \t]*)sys\.setdefaultencoding\([^()\n]*\)[ \t]*$"),
        new: "${1}pass  # text is Unicode",
    },
];

static REDUCE: LazyRegex = LazyRegex::new(r"(?m)(^|[^\w.])reduce\(");

/// CSV files that are opened as bytes right where they are read.
static CSV_BYTES: LazyRegex =
    LazyRegex::new(r#"(\bcsv\.(?:reader|DictReader)\(\s*open\([^()\n]*?),\s*['"](?:rb|rU|U|r)['"]\s*\)"#);

/// The script as Python 3.
pub fn as_python3(text: &str) -> String {
    let masked = Masked::new(text, ScriptLanguage::Python);
    let mut text = print_statement::as_calls(&masked);
    for replacement in &REPLACEMENTS {
        if let Some(mended) = replaced(&text, replacement) {
            text = mended;
        }
    }
    if REDUCE.is_match(&text) && !text.contains("functools") {
        text = imports::with_import(&text, "from functools import reduce");
    }
    CSV_BYTES.replace_all(&text, "${1}, newline=\"\")").into_owned()
}

fn replaced(text: &str, replacement: &Replacement) -> Option<String> {
    let masked = Masked::new(text, ScriptLanguage::Python);
    let rewrite = Rewrite {
        pattern: (*replacement.old).clone().into(),
        with: replacement.new.to_owned(),
        on_line_only: false,
        in_text: false,
    };
    rewrite.apply(&masked, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_python_2_become_those_of_3() {
        for (old, new) in [
            ("except IOError, e:", "except IOError as e:"),
            ("except (A, B), e:", "except (A, B) as e:"),
            ("raise ValueError, 'no'", "raise ValueError('no')"),
            ("if a <> b: pass", "if a != b: pass"),
            ("x = 10L + 0755", "x = 10 + 0o755"),
            ("s = `x`", "s = repr(x)"),
            ("for i in xrange(3): pass", "for i in range(3): pass"),
            ("if not d.has_key('a'): pass", "if not ('a' in d): pass"),
            ("for k, v in d.iteritems(): pass", "for k, v in d.items(): pass"),
            ("import cPickle as pickle", "import pickle as pickle"),
            ("from StringIO import StringIO", "from io import StringIO"),
            (
                "for a, b in itertools.izip(x, y): pass",
                "for a, b in zip(x, y): pass",
            ),
            ("string.ljust(name, 10)", "name.ljust(10)"),
            (
                "csv.reader(open('a.csv', 'rb'))",
                "csv.reader(open('a.csv', newline=\"\"))",
            ),
        ] {
            assert_eq!(as_python3(old), new, "{old}");
        }
    }

    #[test]
    fn python_3_and_text_stay_as_they_are() {
        for text in [
            "x = 'xrange(3) <> 10L'",
            "print(\"a\")",
            "x = 0.05 + 100 + 1e05",
            "key = obj.long(3)",
            "for k in d.items(): pass",
            "n = 0",
            "raise ValueError('a, b')",
        ] {
            assert_eq!(as_python3(text), text);
        }
    }
}
