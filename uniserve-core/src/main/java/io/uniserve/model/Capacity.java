package io.uniserve.model;

/** Capacity of a server: CPU in thousandths of a core, memory and disk in bytes. */
public record Capacity(int cpuMillis, long memoryBytes, long diskBytes) {}
