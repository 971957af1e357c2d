package io.uniserve.protocol.transaction.manager;

import io.uniserve.model.registry.TransactionLogState.InFlight;
import io.uniserve.protocol.transaction.TransactionConfig;
import io.uniserve.protocol.transaction.TransactionContext;

/** Time since this manager has seen a version in flight that is not its own current one. Late versions are aborted. */
final class ForeignVersionTimer {
    private final TransactionContext host;
    private final TransactionConfig config;
    private long version;
    private long since;

    ForeignVersionTimer(TransactionContext host, TransactionConfig config) {
        this.host = host;
        this.config = config;
    }

    /** Notes that this version is in flight. */
    void observe(InFlight flight, long now) {
        if (version != flight.version()) {
            version = flight.version();
            since = now;
        }
    }

    /** Makes the version late: another part of this server has seen it for its full time. */
    void expire(InFlight flight, long now) {
        version = flight.version();
        since = now - config.timeoutNanos(flight.bytes());
    }

    /** True after the version's full time-out, or after a short time if its manager is not alive. */
    boolean isLate(InFlight flight, long now) {
        boolean gone = host.addressOf(flight.manager()) == null && now - since >= config.deadManagerGraceNanos();
        return gone || now - since >= config.timeoutNanos(flight.bytes());
    }
}
