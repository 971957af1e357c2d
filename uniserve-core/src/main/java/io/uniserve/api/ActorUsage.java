package io.uniserve.api;

/** What an actor takes: rows, bytes of memory, bytes of disk. */
public record ActorUsage(long rows, long memoryBytes, long diskBytes) {}
