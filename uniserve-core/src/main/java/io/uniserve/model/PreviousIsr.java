package io.uniserve.model;

import java.util.List;

/**
 * In-sync replicas of an actor before its takeover from durable storage. No update is accepted before the takeover has started, so until
 * then their data are at least as good as the restored ones.
 *
 * @param isr the in-sync replicas; empty if no takeover is under way
 * @param epoch the last epoch of this set; a restored replica has installed a later one
 * @param restoreEpoch the {@link ActorState#restoreEpoch} of that epoch; data of an earlier epoch are obsolete
 */
public record PreviousIsr(List<ServerId> isr, long epoch, long restoreEpoch) {
    /** State without a takeover. */
    public static final PreviousIsr NONE = new PreviousIsr(List.of(), 0, 0);

    public PreviousIsr {
        isr = List.copyOf(isr);
    }

    /** True if an intact replica on this server, with this installed epoch, has all data of the former in-sync set. */
    public boolean hasAllData(ServerId server, long installed) {
        return isr.contains(server) && installed >= Math.max(1, restoreEpoch) && installed <= epoch;
    }
}
