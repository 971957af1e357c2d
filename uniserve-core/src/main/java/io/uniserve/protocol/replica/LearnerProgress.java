package io.uniserve.protocol.replica;

import io.uniserve.model.ServerId;

/**
 * A learner's way to certification: catch up; then, nearly there, every entry waits for it for a bounded time; then, once it
 * has on disk all that was ever stable, and has applied what was stable when it began to be awaited, it is certified, which
 * is written down before anybody hears of it and holds until the epoch ends. It need not have applied what came since: it
 * hears of a stable entry with the next one, so under a stream of updates it is always one behind, as any follower is.
 */
final class LearnerProgress {
    private final ReplicaConfig config;
    private Phase phase;
    private long since;
    private long mustApply;

    /** How far the learner is. */
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

    /**
     * What a learner has on disk, and has applied.
     *
     * @param answers true when it has answered the last time it was asked: updates do not wait for one that is not there yet
     */
    record Progress(ServerId server, boolean answers, long match, long applied) {}

    /**
     * Time passes, or the learner has told how far it is.
     *
     * @param last index of the primary's log
     * @param stable the last entry that the primary knows to be stable
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
