package io.uniserve.testkit.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.Actor;
import io.uniserve.api.ActorView;
import io.uniserve.api.Document;
import io.uniserve.api.operator.Merger;
import io.uniserve.api.operator.OperatorContext;
import io.uniserve.api.operator.RetrieveOperator;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Cases of operators: codecs, merging, deadlines, hostile parameters. */
interface OperatorCases extends TckCases {
    /** Maximum number of checks of the query of which each is tried as the last one. */
    int CHECKS_TRIED_MAX = 20;

    /** An operator with this many checks of its query also checks during its run, not only before. */
    int CHECKS_DURING_RUN_MIN = 3;

    int PATIENCE_SECONDS = 120;
    int STOPS_PER_SECOND = 20;

    @Test
    default void parametersSurviveTheirCodec() {
        bench().fixture().probes().forEach(this::parametersRoundTrip);
    }

    @Test
    default void valuesSurviveTheirCodec() {
        Actor actor = bench().withRows(0, 30);
        bench().fixture().probes().forEach(probe -> valuesRoundTrip(actor, probe));
    }

    @Test
    default void asksTwiceAnswersTheSame() {
        Actor actor = bench().withRows(0, 30);
        assertThat(bench().retrieveAll(actor)).isEqualTo(bench().retrieveAll(actor));
    }

    @Test
    default void mergedPartsEqualTheWhole() {
        Actor whole = bench().withRows(0, 60);
        Actor left = bench().withRows(0, 25);
        Actor middle = bench().withRows(25, 40);
        Actor right = bench().withRows(40, 60);
        for (TckQuery<?, ?> probe : bench().fixture().probes()) {
            if (probe.mergesExactly()) {
                assertThat(mergeAll(probe, left, middle, right))
                        .as(probe.operator())
                        .isEqualTo(bench().retrieve(whole, probe));
            }
        }
    }

    @Test
    default void mergeIsAssociativeAndCommutative() {
        Actor left = bench().withRows(0, 25);
        Actor middle = bench().withRows(25, 40);
        Actor right = bench().withRows(40, 60);
        for (TckQuery<?, ?> probe : bench().fixture().probes()) {
            Bytes merged = mergeAll(probe, left, middle, right);
            assertThat(mergeAll(probe, right, left, middle))
                    .as(probe.operator())
                    .isEqualTo(merged);
            assertThat(mergeAll(probe, middle, right, left))
                    .as(probe.operator())
                    .isEqualTo(merged);
        }
    }

    @Test
    default void mergersBreakTiesAndOrderTextsAsOneActorDoes() {
        List<Document> rows = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            for (String high : List.of("\uff5e", "\ud83d\ude00")) {
                bench().fixture().tiedRow(high + i).ifPresent(rows::add);
            }
        }
        Assumptions.assumeFalse(rows.isEmpty(), "the fixture has no tied rows");
        Actor whole = actorWith(rows);
        List<Actor> parts = new ArrayList<>();
        for (int part = 0; part < 3; part++) {
            List<Document> own = new ArrayList<>();
            for (int i = part; i < rows.size(); i += 3 + part) {
                own.add(rows.get(i));
            }
            rows.removeAll(own);
            parts.add(actorWith(part == 2 ? concat(own, rows) : own));
        }
        for (TckQuery<?, ?> probe : bench().fixture().probes()) {
            Bytes merged = mergeAll(probe, parts.get(0), parts.get(1), parts.get(2));
            assertThat(mergeAll(probe, parts.get(2), parts.get(1), parts.get(0)))
                    .as(probe.operator())
                    .isEqualTo(merged);
            if (probe.mergesExactly()) {
                assertThat(merged).as(probe.operator()).isEqualTo(bench().retrieve(whole, probe));
            }
        }
    }

    private Actor actorWith(List<Document> rows) {
        Actor actor = bench().create();
        bench().upsert(actor, rows);
        return actor;
    }

    private static List<Document> concat(List<Document> left, List<Document> right) {
        return Stream.concat(left.stream(), right.stream()).toList();
    }

    /** Sets numbers in the parameters to extremes. They must be rejected or answered. */
    @Test
    default void parametersBeyondBoundsAreRefusedOrAnswered() {
        Actor actor = bench().withRows(0, 30);
        for (TckQuery<?, ?> probe : bench().fixture().probes()) {
            checkInvalidParameters(actor, probe);
        }
    }

    private <P, V> void checkInvalidParameters(Actor actor, TckQuery<P, V> probe) {
        RetrieveOperator<ActorView, P, V> operator = bench().operator(probe);
        byte[] sent = operator.parameters().encode(probe.parameters()).toArray();
        for (int at = 0; at + Integer.BYTES <= sent.length; at++) {
            for (int number : List.of(Integer.MAX_VALUE, Integer.MIN_VALUE, -1)) {
                byte[] changed = sent.clone();
                ByteBuffer.wrap(changed).putInt(at, number);
                try {
                    P parameters = operator.parameters().decode(Bytes.wrap(changed));
                    operator.values().encode(operator.retrieve(actor, TckHarness.activeContext(), parameters));
                } catch (UniserveException e) {
                    assertThat(e.code())
                            .as("%s with %d at byte %d of its parameters: %s", probe.operator(), number, at, e)
                            .isNotIn(ErrorCode.PORT_FAILED, ErrorCode.INTERNAL, ErrorCode.IO);
                } catch (RuntimeException | OutOfMemoryError | StackOverflowError e) {
                    throw new AssertionError(
                            probe.operator() + " with " + number + " at byte " + at
                                    + " of its parameters: a number without bounds",
                            e);
                }
            }
        }
    }

    @Test
    default void anEndedQueryStops() {
        Actor actor = bench().withRows(0, 30);
        for (TckQuery<?, ?> probe : bench().fixture().probes()) {
            assertThatThrownBy(() -> retrieveEnded(actor, probe))
                    .as(probe.operator())
                    .isInstanceOfSatisfying(
                            UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DEADLINE_EXCEEDED));
        }
    }

    /** Ends the query at each of its checks in turn. The operator must stop there, with that reason. */
    @Test
    default void everyLookAtTheQueryMayEndIt() {
        Actor actor = bench().withRows(0, 30);
        for (TckQuery<?, ?> probe : bench().fixture().probes()) {
            CancellableContext whole = new CancellableContext(Integer.MAX_VALUE);
            retrieve(actor, probe, whole);
            for (int look = 0; look < Math.min(whole.checks(), CHECKS_TRIED_MAX); look++) {
                CancellableContext ended = new CancellableContext(look);
                assertThatThrownBy(() -> retrieve(actor, probe, ended))
                        .as("%s at look %d", probe.operator(), look)
                        .isInstanceOfSatisfying(
                                UniserveException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.CANCELLED));
            }
        }
    }

    @Test
    default void aCancelledOperatorEnds() throws Exception {
        Actor actor = bench().withRows(0, 30);
        for (TckQuery<?, ?> probe : bench().fixture().endlessProbes()) {
            CancellableContext life = new CancellableContext(Integer.MAX_VALUE);
            CompletableFuture<Void> running = CompletableFuture.runAsync(() -> retrieve(actor, probe, life));
            life.awaitUse();
            assertThat(running).as("%s has hours to go", probe.operator()).isNotDone();
            assertThatThrownBy(() -> life.cancel(running))
                    .as(probe.operator())
                    .isInstanceOf(ExecutionException.class)
                    .cause()
                    .isInstanceOfSatisfying(
                            UniserveException.class,
                            e -> assertThat(e.code()).isIn(ErrorCode.CANCELLED, ErrorCode.DEADLINE_EXCEEDED));
        }
    }

    @Test
    default void garbageIsNoParameter() {
        Bytes garbage = Bytes.wrap(new byte[] {127, -1, -1, -1, 5, 4});
        for (TckQuery<?, ?> probe : bench().fixture().probes()) {
            assertThatThrownBy(() -> bench().operator(probe).parameters().decode(garbage))
                    .as(probe.operator())
                    .isInstanceOf(UniserveException.class);
        }
    }

    private <P, V> void parametersRoundTrip(TckQuery<P, V> probe) {
        RetrieveOperator<ActorView, P, V> operator = bench().operator(probe);
        Bytes encoded = operator.parameters().encode(probe.parameters());
        assertThat(operator.parameters().encode(operator.parameters().decode(encoded)))
                .isEqualTo(encoded);
    }

    private <P, V> void valuesRoundTrip(Actor actor, TckQuery<P, V> probe) {
        Bytes encoded = bench().retrieve(actor, probe);
        RetrieveOperator<ActorView, P, V> operator = bench().operator(probe);
        assertThat(operator.values().encode(operator.values().decode(encoded))).isEqualTo(encoded);
    }

    private <P, V> Bytes mergeAll(TckQuery<P, V> probe, Actor first, Actor second, Actor third) {
        RetrieveOperator<ActorView, P, V> operator = bench().operator(probe);
        Merger<P, V> merger = operator.merger().orElse(probe.merger());
        P p = probe.parameters();
        List<V> values = new ArrayList<>();
        for (Actor actor : List.of(first, second, third)) {
            values.add(operator.retrieve(actor, TckHarness.activeContext(), p));
        }
        V two = merger.merge(p, values.get(0), values.get(1));
        Bytes merged = operator.values().encode(merger.merge(p, two, values.get(2)));
        assertThat(operator.values().encode(merger.mergeAll(p, values)))
                .as("%s: a merge of all at once", probe.operator())
                .isEqualTo(merged);
        return merged;
    }

    private <P, V> void retrieve(Actor actor, TckQuery<P, V> probe, CancellableContext life) {
        bench().operator(probe).retrieve(actor, life, probe.parameters());
    }

    private <P, V> void retrieveEnded(Actor actor, TckQuery<P, V> probe) {
        bench().operator(probe).retrieve(actor, new EndedContext(), probe.parameters());
    }

    /** Query with an hour's time, which ends after a number of checks, or when its caller cancels it. */
    final class CancellableContext implements OperatorContext {
        private final AtomicInteger checksLeft;
        private final AtomicInteger checks = new AtomicInteger();
        private final CountDownLatch used = new CountDownLatch(CHECKS_DURING_RUN_MIN);
        private final Set<Runnable> stops = ConcurrentHashMap.newKeySet();
        private volatile boolean cancelled;

        private CancellableContext(int looks) {
            checksLeft = new AtomicInteger(looks);
        }

        private int checks() {
            return checks.get();
        }

        @Override
        public int actor() {
            return 0;
        }

        @Override
        public long remainingNanos() {
            return TimeUnit.HOURS.toNanos(1);
        }

        @Override
        public void checkActive() {
            checks.incrementAndGet();
            used.countDown();
            if (cancelled || checksLeft.getAndDecrement() <= 0) {
                cancelled = true;
                throw new UniserveException(ErrorCode.CANCELLED, "the caller has gone");
            }
        }

        @Override
        public Watch onCancel(Runnable stop) {
            stops.add(stop);
            while (used.getCount() > 0) {
                used.countDown();
            }
            return () -> stops.remove(stop);
        }

        /** Waits until the operator runs. */
        private void awaitUse() throws InterruptedException {
            assertThat(used.await(PATIENCE_SECONDS, TimeUnit.SECONDS))
                    .as("the operator calls checkActive() repeatedly, or registers a stop by whenGivenUp()")
                    .isTrue();
        }

        /** Cancels the query as a host does: it repeats the stop, as one may come before the engine has started. */
        private void cancel(CompletableFuture<Void> running) throws ExecutionException, InterruptedException {
            cancelled = true;
            for (int i = 0; i < PATIENCE_SECONDS * STOPS_PER_SECOND; i++) {
                stops.forEach(Runnable::run);
                try {
                    running.get(1_000 / STOPS_PER_SECOND, TimeUnit.MILLISECONDS);
                    return;
                } catch (TimeoutException e) {
                    // It still runs; stop it again.
                }
            }
            throw new AssertionError("the operator still runs although its query has ended");
        }
    }

    /** Query with a deadline in the past. */
    final class EndedContext implements OperatorContext {
        @Override
        public int actor() {
            return 0;
        }

        @Override
        public long remainingNanos() {
            return -1;
        }

        @Override
        public void checkActive() {
            throw new UniserveException(ErrorCode.DEADLINE_EXCEEDED, "the query's deadline has passed");
        }
    }
}
