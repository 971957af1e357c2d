package io.uniserve.runtime.audit;

import java.time.Instant;

/**
 * One line of an audit log.
 *
 * @param sequence number of the line, from 1, without gaps over all files
 * @param time time at which the event was passed to the log, by the wall clock
 * @param process server or coordinator that wrote the line
 * @param previous hash of the line before, 64 hexadecimal digits; zeros for the first line of a log
 * @param hash SHA-256 of the line before its field {@code hash}, 64 hexadecimal digits
 */
public record AuditRecord(
        long sequence, Instant time, String process, AuditEvent event, String previous, String hash) {}
