package io.uniserve.model;

import java.util.List;

/**
 * An actor's in-sync replicas before its takeover from durable storage. No update is taken before the takeover has begun, so
 * until then their data are at least as good as what is restored.
 *
 * @param isr who was in sync; empty for no takeover under way
 * @param epoch the last epoch in which they were; a replica that was restored has installed a later one
 * @param restoreEpoch the {@link ActorState#restoreEpoch} of that epoch: less than that is no data of theirs
 */
public record PreviousIsr(List<ServerId> isr, long epoch, long restoreEpoch) {
    /** No takeover is under way. */
    public static final PreviousIsr NONE = new PreviousIsr(List.of(), 0, 0);

    public PreviousIsr {
        isr = List.copyOf(isr);
    }

    /** True when a replica on this server, whole and with this installed epoch, has what was in sync. */
    public boolean counts(ServerId server, long installed) {
        return isr.contains(server) && installed >= Math.max(1, restoreEpoch) && installed <= epoch;
    }
}
