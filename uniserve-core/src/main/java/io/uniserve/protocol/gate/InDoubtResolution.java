package io.uniserve.protocol.gate;

import java.util.Collection;

/**
 * How a replica's doubts were settled for a reader who asks for the newest state.
 *
 * @param open a version that may have been committed and is left out, as the reader looks elsewhere for a denial of it; 0 for none
 * @param denied a version that is left out, as nobody could know that it is committed at some moment after the question: its driver
 *     has said so, or the table's log; 0 for none
 */
public record InDoubtResolution(long open, long denied) {
    /** Nothing is left out. */
    public static final InDoubtResolution ALL = new InDoubtResolution(0, 0);

    /** Whether this version was committed is left open. */
    public static InDoubtResolution open(long version) {
        return new InDoubtResolution(version, 0);
    }

    /** Nobody could know of this version. */
    public static InDoubtResolution denied(long version) {
        return new InDoubtResolution(0, version);
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
