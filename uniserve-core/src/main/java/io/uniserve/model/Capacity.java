package io.uniserve.model;

/** What a server offers: CPU in thousandths of a core, memory and disk in bytes. */
public record Capacity(int cpuMillis, long memoryBytes, long diskBytes) {}
