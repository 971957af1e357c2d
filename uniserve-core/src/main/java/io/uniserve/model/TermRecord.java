package io.uniserve.model;

/** Who took the term; the znode's version is the term itself. */
public record TermRecord(String leader) implements RegistryValue {}
