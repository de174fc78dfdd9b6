//! Import statements of Python.

use super::python_tokens::{PythonToken, PythonTokenKind};

/// A statement by which a script imports modules.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ImportStatement {
    pub modules: Vec<ImportedModule>,
    /// The tokens that it takes; those of the names behind `from x import` are not among them.
    pub length: usize,
}

/// A module that a statement names.
#[derive(Debug, PartialEq, Eq)]
pub struct ImportedModule {
    /// With its dots.
    pub name: String,
    pub line: usize,
}

/// The name that a token is.
pub fn name(token: Option<&PythonToken>) -> Option<&str> {
    match &token?.kind {
        PythonTokenKind::Name(name) => Some(name),
        _ => None,
    }
}

/// Whether a token is this sign.
pub fn is_sign(token: Option<&PythonToken>, sign: char) -> bool {
    token.is_some_and(|token| token.kind == PythonTokenKind::Sign(sign))
}

impl ImportStatement {
    /// `import a.b as c, d`
    pub fn import(tokens: &[PythonToken]) -> Self {
        let mut statement = Self {
            length: 1,
            ..Self::default()
        };
        let at = &mut statement.length;
        loop {
            let dotted = dotted(&tokens[*at..]);
            if dotted.length == 0 {
                break;
            }
            statement.modules.push(ImportedModule {
                name: dotted.name,
                line: tokens[*at].line,
            });
            *at += dotted.length;
            if name(tokens.get(*at)) == Some("as") {
                *at += 2;
            }
            if !is_sign(tokens.get(*at), ',') {
                break;
            }
            *at += 1;
        }
        *at = (*at).min(tokens.len());
        statement
    }

    /// `from a.b import c`; `None` of one that begins with a dot, and leads to a file of the folder.
    pub fn from(tokens: &[PythonToken]) -> Option<Self> {
        let dotted = dotted(&tokens[1..]);
        let behind = 1 + dotted.length;
        let is_import = dotted.length > 0 && name(tokens.get(behind)) == Some("import");
        is_import.then(|| Self {
            modules: vec![ImportedModule {
                name: dotted.name,
                line: tokens[1].line,
            }],
            length: behind + 1,
        })
    }
}

/// The names behind `from x import`, in brackets or not.
pub fn taken_names(tokens: &[PythonToken]) -> Vec<&str> {
    let mut at = usize::from(is_sign(tokens.first(), '('));
    let mut names = Vec::new();
    while let Some(taken) = name(tokens.get(at)) {
        names.push(taken);
        at += 1;
        if name(tokens.get(at)) == Some("as") {
            at += 2;
        }
        if !is_sign(tokens.get(at), ',') {
            break;
        }
        at += 1;
    }
    names
}

/// A name with dots, and the tokens that it takes.
struct DottedName {
    name: String,
    length: usize,
}

fn dotted(tokens: &[PythonToken]) -> DottedName {
    let mut dotted = DottedName {
        name: String::new(),
        length: 0,
    };
    while let Some(part) = name(tokens.get(dotted.length)) {
        if dotted.name.is_empty() && part == "import" {
            break;
        }
        dotted.name.push_str(part);
        dotted.length += 1;
        if !is_sign(tokens.get(dotted.length), '.') {
            break;
        }
        dotted.name.push('.');
        dotted.length += 1;
    }
    dotted
}
