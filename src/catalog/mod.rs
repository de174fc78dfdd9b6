//! Stages, schemas and rubrics as typed, validated definitions, embedded and overridable by a folder.
