package io.uniserve.protocol.gate;

import java.util.Collection;

/**
 * Result of the resolution of a version in doubt, for a read of the newest state.
 *
 * @param open a version that the read omits and that may be committed, because the reader finds a claim for it elsewhere; 0 for none
 * @param denied a version that the read omits because it was not visible at some moment after the question; 0 for none. Its manager has
 *     claimed so, or the transaction log shows it
 */
public record InDoubtResolution(long open, long denied) {
    /** No version is omitted. */
    public static final InDoubtResolution ALL = new InDoubtResolution(0, 0);

    /** The read omits this version, which may be committed. */
    public static InDoubtResolution open(long version) {
        return new InDoubtResolution(version, 0);
    }

    /** The read omits this version, which was not visible. */
    public static InDoubtResolution denied(long version) {
        return new InDoubtResolution(0, version);
    }

    /** Adds these versions to those of other actors. */
    public void addTo(Collection<Long> opened, Collection<Long> denials) {
        if (open != 0) {
            opened.add(open);
        }
        if (denied != 0) {
            denials.add(denied);
        }
    }
}
