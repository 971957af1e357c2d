package io.uniserve.testkit.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.api.Actor;
import io.uniserve.api.ActorView;
import io.uniserve.api.extra.SnapshotActor;
import io.uniserve.codec.Bytes;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Cases of the life cycle of actors, and of snapshots if the port supports them. */
interface LifecycleCases extends TckCases {
    @Test
    default void closeTwice() {
        Actor actor = bench().withRows(0, 5);
        actor.close();
        actor.close();
    }

    @Test
    default void destroyTwice() {
        Actor actor = bench().withRows(0, 5);
        actor.destroy();
        actor.destroy();
        actor.close();
    }

    @Test
    default void destroyAfterClose() {
        Actor actor = bench().withRows(0, 5);
        actor.close();
        actor.destroy();
    }

    @Test
    default void destroyingOneLeavesTheOthers() {
        Actor one = bench().withRows(0, 5);
        Actor two = bench().withRows(0, 7);
        one.destroy();
        assertThat(two.usage().rows()).isEqualTo(7);
        assertThat(bench().retrieveAll(two)).isNotEmpty();
    }

    @Test
    default void anActorIsMadeAfterAnotherWasDestroyed() {
        bench().withRows(0, 5).destroy();
        assertThat(bench().create().usage().rows()).isZero();
    }

    @Test
    default void aSnapshotDoesNotSeeLaterUpdates() {
        Actor actor = bench().withRows(0, 5);
        Assumptions.assumeTrue(actor instanceof SnapshotActor<?>, "the port offers no snapshots");
        try (ActorView first = bench().view(actor)) {
            bench().operators()
                    .forEach(operator -> assertThat(first)
                            .as("operator %s must accept a view", operator.id())
                            .isInstanceOf(operator.actorType()));
            Bytes before = bench().contents(first);
            bench().upsert(actor, bench().rows(5, 9));
            try (ActorView second = bench().view(actor)) {
                assertThat(first).isNotSameAs(second);
                assertThat(bench().contents(first)).isEqualTo(before);
                assertThat(bench().contents(second)).isNotEqualTo(before);
            }
        }
    }

    @Test
    default void writingWorksAfterManyUpdates() {
        Actor actor = bench().create();
        for (int i = 0; i < 20; i++) {
            bench().upsert(actor, bench().rows(i * 5, i * 5 + 10));
            Path written = bench().write(actor);
            if (i % 7 == 0) {
                assertThat(bench().restore(written).digest()).isEqualTo(actor.digest());
            }
        }
        assertThat(actor.usage().rows()).isEqualTo(105);
    }

    @Test
    default void answersStayWhileOthersAreMadeAndDestroyed() {
        Actor actor = bench().withRows(0, 40);
        List<Bytes> answers = bench().retrieveAll(actor);
        for (int i = 0; i < 5; i++) {
            bench().withRows(0, 10).destroy();
            assertThat(bench().retrieveAll(actor)).isEqualTo(answers);
        }
    }
}
