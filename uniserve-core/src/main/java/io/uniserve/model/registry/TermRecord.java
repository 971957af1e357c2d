package io.uniserve.model.registry;

/** Coordinator that took the term. The term itself is the version of the znode. */
public record TermRecord(String leader) implements RegistryValue {}
