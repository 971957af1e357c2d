package io.uniserve.protocol.replica;

import io.uniserve.model.ServerId;

/**
 * Progress of a learner towards certification. It first catches up. Once its lag is small, entries wait for its acknowledgement, for a
 * bounded time. It is certified when its disk has everything up to the high watermark, and it has applied the high watermark as of the
 * start of that phase. The certificate is on disk before it is reported, and is valid until the epoch ends.
 *
 * <p>The learner need not have applied newer entries. It gets the high watermark with the next entry, so under a stream of updates it is
 * always one entry behind, like any follower.
 */
final class LearnerProgress {
    private final ReplicaConfig config;
    private Phase phase;
    private long since;
    private long mustApply;

    /** Phase of a learner. */
    enum Phase {
        CATCHING_UP,
        AWAITED,
        CERTIFYING,
        CERTIFIED
    }

    LearnerProgress(ReplicaConfig config, boolean certified, long now) {
        this.config = config;
        this.phase = certified ? Phase.CERTIFIED : Phase.CATCHING_UP;
        this.since = now - config.learnerTimeoutNanos();
    }

    /** Writer of a certificate. It runs the task with true once the certificate is on disk. */
    interface Certifier {
        void certify(ServerId learner, java.util.function.Consumer<Boolean> then);
    }

    /** True when the high watermark depends on this learner's acknowledgement. */
    boolean counts() {
        return phase != Phase.CATCHING_UP;
    }

    boolean certified() {
        return phase == Phase.CERTIFIED;
    }

    /**
     * Log indexes that a learner has on disk and has applied.
     *
     * @param answers true if it answered its last request; updates do not wait for a learner that cannot be reached
     */
    record Progress(ServerId server, boolean answers, long match, long applied) {}

    /**
     * Advances after a tick or a reply of the learner.
     *
     * @param last last index of the primary's log
     * @param stable high watermark as known to the primary
     */
    void advance(Progress learner, long last, long stable, long now, Certifier certifier) {
        if (phase == Phase.CATCHING_UP) {
            boolean near = learner.answers()
                    && last - learner.match() <= config.learnerLagMax()
                    && last - learner.applied() <= config.learnerLagMax();
            if (near && now - since >= config.learnerTimeoutNanos()) {
                phase = Phase.AWAITED;
                since = now;
                mustApply = stable;
            }
        }
        if (phase == Phase.AWAITED) {
            if (learner.match() >= stable && learner.applied() >= mustApply) {
                phase = Phase.CERTIFYING;
                certifier.certify(learner.server(), written -> phase = written ? Phase.CERTIFIED : Phase.AWAITED);
            } else if (now - since > config.learnerTimeoutNanos()) {
                phase = Phase.CATCHING_UP;
                since = now;
            }
        }
    }
}
