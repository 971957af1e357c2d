package io.uniserve.protocol.replica.replication;

import io.uniserve.model.ServerId;
import io.uniserve.protocol.replica.context.ReplicaConfig;

/**
 * Progress of a learner towards certification. It first catches up. Once its lag is small, entries wait for its acknowledgement, for a
 * bounded time. It is certified when its disk has everything up to the high watermark, and it has applied the high watermark as of the
 * start of that phase. The certificate is on disk before it is reported, and is valid until the epoch ends.
 *
 * <p>The learner need not have applied newer entries. It gets the high watermark with the next entry, so under a stream of updates it is
 * always one entry behind, like any follower.
 */
public final class LearnerProgress {
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

    public LearnerProgress(ReplicaConfig config, boolean certified, long now) {
        this.config = config;
        this.phase = certified ? Phase.CERTIFIED : Phase.CATCHING_UP;
        this.since = now - config.learnerTimeoutNanos();
    }

    /** Writer of a certificate. It runs the task with true once the certificate is on disk. */
    public interface Certifier {
        void certify(ServerId learner, java.util.function.Consumer<Boolean> then);
    }

    /** True when the high watermark depends on this learner's acknowledgement. */
    public boolean isAwaited() {
        return phase != Phase.CATCHING_UP;
    }

    public boolean isCertified() {
        return phase == Phase.CERTIFIED;
    }

    /**
     * Log indexes that a learner has on disk and has applied.
     *
     * @param responsive true if it answered its last request; updates do not wait for a learner that cannot be reached
     */
    public record Progress(ServerId server, boolean responsive, long matchIndex, long appliedIndex) {}

    /**
     * Advances after a tick or a reply of the learner.
     *
     * @param last last index of the primary's log
     * @param stable high watermark as known to the primary
     */
    public void advance(Progress learner, long last, long stable, long now, Certifier certifier) {
        if (phase == Phase.CATCHING_UP) {
            boolean near = learner.responsive()
                    && last - learner.matchIndex() <= config.learnerLagMax()
                    && last - learner.appliedIndex() <= config.learnerLagMax();
            if (near && now - since >= config.learnerTimeoutNanos()) {
                phase = Phase.AWAITED;
                since = now;
                mustApply = stable;
            }
        }
        if (phase == Phase.AWAITED) {
            if (learner.matchIndex() >= stable && learner.appliedIndex() >= mustApply) {
                phase = Phase.CERTIFYING;
                certifier.certify(learner.server(), written -> phase = written ? Phase.CERTIFIED : Phase.AWAITED);
            } else if (now - since > config.learnerTimeoutNanos()) {
                phase = Phase.CATCHING_UP;
                since = now;
            }
        }
    }
}
