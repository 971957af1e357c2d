package io.uniserve.testkit.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.api.Actor;
import io.uniserve.api.ActorView;
import io.uniserve.api.Document;
import io.uniserve.api.update.Prepared;
import io.uniserve.codec.Bytes;
import io.uniserve.model.ConsistencyLevel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Cases of atomic updates in two phases, and of views by version, for ports that support atomic tables. */
interface AtomicCases extends TckCases {
    /** A new actor of an atomic table, with five rows. */
    default Actor atomicActor() {
        Assumptions.assumeTrue(
                bench().engine().info().levels().contains(ConsistencyLevel.FULLY_SERIALIZABLE),
                "the port offers no atomic updates");
        Actor actor = bench().createAtomic();
        bench().commit(actor, List.of(bench().prepare(actor, bench().rows(0, 5))));
        return actor;
    }

    @Test
    default void whatIsPreparedIsSeenByNobody() {
        Actor actor = atomicActor();
        Bytes before = bench().contents(actor);
        List<Document> rows = new ArrayList<>(bench().rows(5, 30));
        rows.add(bench().fixture().changedRow(1));
        Prepared prepared = bench().prepare(actor, rows);
        assertThat(bench().contents(actor)).isEqualTo(before);
        assertThat(bench().contents(bench().restore(bench().write(actor))))
                .as("a checkpoint has what is committed")
                .isEqualTo(before);
        bench().commit(actor, List.of(prepared));
        assertThat(actor.usage().rows()).isEqualTo(30);
        assertThat(bench().contents(actor)).isNotEqualTo(before);
    }

    @Test
    default void whatIsCommittedIsAsIfItWereApplied() {
        Actor actor = atomicActor();
        bench().commit(actor, List.of(bench().prepare(actor, bench().rows(3, 20))));
        assertThat(actor.digest()).isEqualTo(bench().withRows(0, 20).digest());
    }

    @Test
    default void whatIsAbortedLeavesNothing() {
        Actor actor = atomicActor();
        Bytes before = bench().contents(actor);
        for (int i = 0; i < 3; i++) {
            Prepared prepared = bench().prepare(actor, bench().rows(i, i + 10));
            if (i > 0) {
                bench().stage(actor);
            }
            prepared.abort();
            assertThat(bench().contents(actor)).isEqualTo(before);
        }
        bench().commit(actor, List.of(bench().prepare(actor, bench().rows(5, 8))));
        assertThat(actor.digest()).isEqualTo(bench().withRows(0, 8).digest());
        assertThat(bench().restore(bench().write(actor)).digest()).isEqualTo(actor.digest());
    }

    @Test
    default void partsOfAVersionAreCommittedInTheirOrder() {
        Actor actor = atomicActor();
        List<Prepared> parts = List.of(
                bench().prepare(actor, bench().rows(0, 9)),
                bench().prepare(actor, List.of(bench().fixture().changedRow(7))),
                bench().prepare(actor, List.of(bench().fixture().changedRow(2))));
        bench().commit(actor, parts);
        Actor applied = bench().withRows(0, 9);
        bench().upsert(applied, List.of(bench().fixture().changedRow(7)));
        bench().upsert(applied, List.of(bench().fixture().changedRow(2)));
        assertThat(actor.digest()).isEqualTo(applied.digest());
    }

    @Test
    default void partsOfAVersionAreAbortedTogether() {
        Actor actor = atomicActor();
        Bytes before = bench().contents(actor);
        List<Prepared> parts =
                List.of(bench().prepare(actor, bench().rows(0, 9)), bench().prepare(actor, bench().rows(9, 12)));
        parts.forEach(Prepared::abort);
        actor.publish();
        assertThat(bench().contents(actor)).isEqualTo(before);
    }

    @Test
    default void aCheckpointAndTheRestOfTheLogAreTheActor() {
        Actor actor = atomicActor();
        Path written = bench().write(actor);
        Prepared prepared = bench().prepare(actor, bench().rows(3, 12));
        Actor again = bench().restoreAtomic(written);
        bench().prepare(again, bench().rows(40, 50)).abort();
        bench().commit(again, List.of(bench().prepare(again, bench().rows(3, 12))));
        bench().commit(actor, List.of(prepared));
        assertThat(again.digest()).isEqualTo(actor.digest());
    }

    @Test
    default void aViewShowsItsVersionForEver() {
        Actor actor = atomicActor();
        List<ActorView> views = new ArrayList<>();
        List<Bytes> seen = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            views.add(bench().view(actor));
            seen.add(bench().contents(views.get(i)));
            assertThat(seen.get(i)).isEqualTo(bench().contents(actor));
            Prepared lost = bench().prepare(actor, bench().rows(100, 110));
            assertThat(bench().contents(views.get(i))).isEqualTo(seen.get(i));
            lost.abort();
            List<Document> rows = new ArrayList<>(bench().rows(5 + i * 3, 8 + i * 3));
            rows.add(bench().fixture().changedRow(i));
            bench().commit(actor, List.of(bench().prepare(actor, rows)));
        }
        assertThat(views.stream().map(bench()::contents)).isEqualTo(seen);
        assertThat(seen).doesNotHaveDuplicates();
        views.forEach(ActorView::close);
    }

    @Test
    default void readersOfAViewSeeOneVersionWhileOthersAreMade() throws Exception {
        Actor actor = atomicActor();
        ActorView view = bench().view(actor);
        Bytes before = bench().contents(view);
        AtomicBoolean stop = new AtomicBoolean();
        ExecutorService pool = Executors.newFixedThreadPool(2);
        try {
            List<Future<Integer>> readers = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                readers.add(pool.submit(() -> {
                    int reads = 0;
                    do {
                        assertThat(bench().contents(view)).isEqualTo(before);
                        reads++;
                    } while (!stop.get());
                    return reads;
                }));
            }
            for (int i = 0; i < 10; i++) {
                bench().commit(actor, List.of(bench().prepare(actor, bench().rows(0, 10 + i))));
                bench().prepare(actor, List.of(bench().fixture().changedRow(i))).abort();
            }
            stop.set(true);
            for (Future<Integer> reader : readers) {
                assertThat(reader.get()).isPositive();
            }
        } finally {
            stop.set(true);
            pool.shutdownNow();
        }
        view.close();
        assertThat(actor.digest()).isEqualTo(bench().withRows(0, 19).digest());
    }
}
