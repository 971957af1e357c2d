package io.uniserve.protocol.replica;

import io.uniserve.model.ServerId;

/**
 * A learner's way to certification: catch up; then, nearly there, every entry waits for it for a bounded time; then, once it
 * has on disk and applied all that was ever stable, it is certified, which is written down before anybody hears of it
 * and holds until the epoch ends.
 */
final class LearnerWatch {
    private final ReplicaConfig config;
    private Phase phase;
    private long since;

    /** How far the learner is. */
    enum Phase {
        CATCHING_UP,
        AWAITED,
        CERTIFYING,
        CERTIFIED
    }

    LearnerWatch(ReplicaConfig config, boolean certified, long now) {
        this.config = config;
        this.phase = certified ? Phase.CERTIFIED : Phase.CATCHING_UP;
        this.since = now - config.learnerTimeoutNanos();
    }

    /** Writes a certification down, then runs the task with whether it is on disk. */
    interface Certifier {
        void certify(ServerId learner, java.util.function.Consumer<Boolean> then);
    }

    /** True when an entry is stable only with this learner's acknowledgement. */
    boolean counts() {
        return phase != Phase.CATCHING_UP;
    }

    boolean certified() {
        return phase == Phase.CERTIFIED;
    }

    void advance(PeerLink link, long last, long stable, long now, Certifier certifier) {
        if (phase == Phase.CATCHING_UP) {
            boolean near =
                    last - link.match() <= config.learnerLagMax() && last - link.applied() <= config.learnerLagMax();
            if (near && now - since >= config.learnerTimeoutNanos()) {
                phase = Phase.AWAITED;
                since = now;
            }
        }
        if (phase == Phase.AWAITED) {
            if (link.match() >= stable && link.applied() >= stable) {
                phase = Phase.CERTIFYING;
                certifier.certify(link.server, written -> phase = written ? Phase.CERTIFIED : Phase.AWAITED);
            } else if (now - since > config.learnerTimeoutNanos()) {
                phase = Phase.CATCHING_UP;
                since = now;
            }
        }
    }
}
