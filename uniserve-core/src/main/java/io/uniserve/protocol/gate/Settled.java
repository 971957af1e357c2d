package io.uniserve.protocol.gate;

import java.util.Collection;

/**
 * How a replica's doubts were settled for a reader who asks for the newest state.
 *
 * @param open a version that may have been committed and is left out, as the reader looks elsewhere for a denial of it; 0 for none
 * @param denied a version that is left out, as nobody could know that it is committed at some moment after the question: its driver
 *     has said so, or the table's log; 0 for none
 */
public record Settled(long open, long denied) {
    /** Nothing is left out. */
    public static final Settled ALL = new Settled(0, 0);

    /** Whether this version was committed is left open. */
    public static Settled open(long version) {
        return new Settled(version, 0);
    }

    /** Nobody could know of this version. */
    public static Settled denied(long version) {
        return new Settled(0, version);
    }

    /** Adds its versions to those of other actors. */
    public void addTo(Collection<Long> opened, Collection<Long> denials) {
        if (open != 0) {
            opened.add(open);
        }
        if (denied != 0) {
            denials.add(denied);
        }
    }
}
