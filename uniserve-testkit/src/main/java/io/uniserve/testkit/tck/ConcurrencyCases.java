package io.uniserve.testkit.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.api.Actor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Cases of operators that run concurrently with updates, checkpoints and the deletion of other actors. */
interface ConcurrencyCases extends TckCases {
    @Test
    default void readsDuringUpdatesSucceed() throws Exception {
        Actor actor = bench().withRows(0, 100);
        runWhileReading(() -> bench().retrieveAll(actor), () -> {
            for (int i = 0; i < 20; i++) {
                bench().upsert(actor, bench().rows(100 + i * 10, 110 + i * 10));
            }
        });
        assertThat(actor.usage().rows()).isEqualTo(300);
    }

    @Test
    default void readsDuringReplacementsSucceed() throws Exception {
        Actor actor = bench().withRows(0, 50);
        runWhileReading(() -> bench().retrieveAll(actor), () -> {
            for (int i = 0; i < 40; i++) {
                bench().upsert(
                                actor,
                                List.of(
                                        i % 2 == 0
                                                ? bench().fixture().changedRow(i % 10)
                                                : bench().fixture().row(i % 10)));
            }
        });
        assertThat(actor.usage().rows()).isEqualTo(50);
    }

    @Test
    default void readsDuringCheckpointsSucceed() throws Exception {
        Actor actor = bench().withRows(0, 100);
        byte[] digest = actor.digest();
        runWhileReading(() -> bench().retrieveAll(actor), () -> {
            for (int i = 0; i < 5; i++) {
                assertThat(bench().restore(bench().write(actor)).digest()).isEqualTo(digest);
            }
        });
    }

    @Test
    default void validationDuringUpdatesSucceeds() throws Exception {
        Actor actor = bench().withRows(0, 10);
        runWhileReading(
                () -> {
                    bench().validate(actor, bench().rows(500, 510));
                    return true;
                },
                () -> {
                    for (int i = 0; i < 20; i++) {
                        bench().upsert(actor, bench().rows(10 + i, 11 + i));
                    }
                });
        assertThat(actor.usage().rows()).isEqualTo(30);
    }

    @Test
    default void actorsAreUpdatedInParallel() throws Exception {
        List<Callable<Actor>> jobs = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            jobs.add(() -> bench().withRows(0, 300));
        }
        ExecutorService pool = Executors.newFixedThreadPool(4);
        try {
            for (Future<Actor> done : pool.invokeAll(jobs)) {
                assertThat(done.get().usage().rows()).isEqualTo(300);
            }
        } finally {
            pool.shutdownNow();
        }
    }

    /** Runs the work while two threads read repeatedly. Every read must succeed, and each thread reads at least once. */
    private void runWhileReading(Callable<?> read, Runnable work) throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        ExecutorService pool = Executors.newFixedThreadPool(2);
        try {
            List<Future<Integer>> readers = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                readers.add(pool.submit(() -> {
                    int reads = 0;
                    do {
                        assertThat(read.call()).isNotNull();
                        reads++;
                    } while (!stop.get());
                    return reads;
                }));
            }
            work.run();
            stop.set(true);
            for (Future<Integer> reader : readers) {
                assertThat(reader.get()).isPositive();
            }
        } finally {
            stop.set(true);
            pool.shutdownNow();
        }
    }
}
