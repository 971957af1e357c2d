package io.uniserve.protocol.message;

/**
 * Rows for one actor that its primary's server was given beforehand, for an atomic update to come.
 *
 * @param bytes of the rows, more than 0
 * @param sha256 of the rows, in hex
 */
public record StagedRowsRef(long bytes, String sha256) {}
