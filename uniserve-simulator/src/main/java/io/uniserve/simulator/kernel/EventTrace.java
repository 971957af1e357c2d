package io.uniserve.simulator.kernel;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.function.Consumer;

/**
 * Canonical text of a history: one line per event, in order, hashed with SHA-256. Frequent small events (messages) are mixed into a number
 * that is appended at the end.
 */
public final class EventTrace {
    private final EventQueue queue;
    private final MessageDigest digest;
    private final Consumer<String> listener;
    private long mixed;

    /** @param listener consumer of every line, for a replay that prints them */
    public EventTrace(EventQueue queue, Consumer<String> listener) {
        this.queue = queue;
        this.listener = listener;
        try {
            this.digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** Appends an event. */
    public void line(String text) {
        String line = queue.now() + " " + text + "\n";
        digest.update(line.getBytes(StandardCharsets.UTF_8));
        listener.accept(line);
    }

    /** Mixes a frequent event into the number. */
    public void mix(long kind, long value) {
        mixed = (mixed * 31 + queue.now()) * 31 + kind * 1_000_003 + value;
    }

    /** Ends the history and returns the hash in hexadecimal. */
    public String finish() {
        line("mixed " + mixed + " events " + queue.executed());
        return HexFormat.of().formatHex(digest.digest());
    }
}
