package io.uniserve.protocol.gate;

import java.util.Collection;

/**
 * Result of the resolution of a version in doubt, for a read of the newest state.
 *
 * @param openVersion a version that the read omits and that may be committed, because the reader finds a claim for it elsewhere; 0 for none
 * @param invisibleVersion a version that the read omits because it was not visible at some time after the call; 0 for none. Its manager has
 *     claimed so, or the transaction log shows it
 */
public record InDoubtResolution(long openVersion, long invisibleVersion) {
    /** No version is omitted. */
    public static final InDoubtResolution NOTHING_OMITTED = new InDoubtResolution(0, 0);

    /** The read omits this version, which may be committed. */
    public static InDoubtResolution omitOpen(long version) {
        return new InDoubtResolution(version, 0);
    }

    /** The read omits this version, which was not visible. */
    public static InDoubtResolution omitInvisible(long version) {
        return new InDoubtResolution(0, version);
    }

    /** Adds these versions to those of other actors. */
    public void addTo(Collection<Long> opened, Collection<Long> denials) {
        if (openVersion != 0) {
            opened.add(openVersion);
        }
        if (invisibleVersion != 0) {
            denials.add(invisibleVersion);
        }
    }
}
