package io.uniserve.protocol.replica.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.model.ServerId;
import io.uniserve.protocol.replica.context.ReplicaConfig;
import io.uniserve.protocol.replica.replication.LearnerProgress.Progress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LearnerProgressTest {
    private static final ServerId LEARNER = new ServerId("learner");
    private static final ReplicaConfig CONFIG = ReplicaConfig.defaults("test");

    private final LearnerProgress watch = new LearnerProgress(CONFIG, false, 0);
    private final List<ServerId> certified = new ArrayList<>();

    private void told(long match, long applied, long last, long stable, long now) {
        watch.advance(new Progress(LEARNER, true, match, applied), last, stable, now, (learner, then) -> {
            certified.add(learner);
            then.accept(true);
        });
    }

    /** With each entry it gets the news that the previous one is stable, so it never catches up completely. */
    @Test
    void aStreamOfUpdatesDoesNotHoldItUp() {
        for (long entry = 100; entry < 110 && certified.isEmpty(); entry++) {
            told(entry - 1, entry - 2, entry, entry - 1, entry); // the entry is on the primary's disk
            told(entry, entry - 2, entry, entry, entry); // on the learner's disk
        }
        assertThat(certified).containsExactly(LEARNER);
        assertThat(watch.isCertified()).isTrue();
    }

    @Test
    void itIsAwaitedOnceItIsNear() {
        told(0, 0, CONFIG.learnerLagMax() + 1, CONFIG.learnerLagMax() + 1, 0);
        assertThat(watch.isAwaited()).isFalse();
        told(1, 0, CONFIG.learnerLagMax() + 1, CONFIG.learnerLagMax() + 1, 0);
        assertThat(watch.isAwaited()).as("it has not applied as much").isFalse();
        told(1, 1, CONFIG.learnerLagMax() + 1, CONFIG.learnerLagMax() + 1, 0);
        assertThat(watch.isAwaited()).isTrue();
        assertThat(certified).isEmpty();
    }

    @Test
    void whatWasStableWhenItBeganToBeAwaitedMustBeApplied() {
        told(100, 90, 100, 100, 0);
        told(105, 99, 105, 105, 0);
        assertThat(certified).isEmpty();
        told(104, 100, 105, 105, 0);
        assertThat(certified).as("an entry that is stable is not on its disk").isEmpty();
        told(105, 100, 105, 105, 0);
        assertThat(certified).containsExactly(LEARNER);
    }

    @Test
    void nobodyWaitsForeverForOneThatStandsStill() {
        long patience = CONFIG.learnerTimeoutNanos();
        told(100, 90, 100, 100, 0);
        told(100, 90, 100, 100, patience + 1);
        assertThat(watch.isAwaited()).isFalse();
        told(100, 100, 100, 100, patience + 2);
        assertThat(watch.isAwaited()).as("it was awaited in vain just now").isFalse();
        told(100, 100, 100, 100, 2 * patience + 2);
        assertThat(certified).containsExactly(LEARNER);
    }
}
