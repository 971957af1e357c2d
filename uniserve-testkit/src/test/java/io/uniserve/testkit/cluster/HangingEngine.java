package io.uniserve.testkit.cluster;

import io.uniserve.api.Document;
import io.uniserve.api.EngineContext;
import io.uniserve.api.operator.Operator;
import io.uniserve.api.plan.Answer;
import io.uniserve.api.plan.PlanContext;
import io.uniserve.api.plan.QueryText;
import io.uniserve.api.update.AtomicUpdate;
import io.uniserve.api.update.Prepared;
import io.uniserve.api.update.UpdateContext;
import io.uniserve.api.update.UpdateFunction;
import io.uniserve.codec.Codec;
import io.uniserve.error.UniserveException;
import io.uniserve.port.kv.KvActor;
import io.uniserve.port.kv.KvUpdateFunctions;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** Key-value engine with a {@code kv.add@1} whose prepare hangs on one server of a {@link LocalCluster}. */
final class HangingEngine extends ExtendedKvEngine {
    private final CountDownLatch end = new CountDownLatch(1);
    private final AtomicInteger hanging = new AtomicInteger();
    private volatile int hung;

    /** Makes every prepare hang on the server with this number from now on. */
    void hang(int server) {
        hung = server;
    }

    /** Number of prepares that hang. */
    int hanging() {
        return hanging.get();
    }

    /** Completes all prepares that hang. */
    void letGo() {
        hung = 0;
        end.countDown();
    }

    private void pass(Path scratch) {
        if (hung == 0 || !scratch.toString().contains("/server-" + hung + "/")) {
            return;
        }
        hanging.incrementAndGet();
        boolean interrupted = false;
        while (end.getCount() > 0) {
            try {
                end.await();
            } catch (InterruptedException e) {
                interrupted = true; // as an engine that ignores interrupts
            }
        }
        hanging.decrementAndGet();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    List<UpdateFunction<?, ?>> updates(EngineContext context, List<UpdateFunction<?, ?>> all) {
        return all.stream()
                .map(each -> each == KvUpdateFunctions.ADD ? new Add(context.scratch()) : each)
                .toList();
    }

    @Override
    List<Operator<?, ?>> added() {
        return List.of();
    }

    @Override
    Answer answer(QueryText query, PlanContext context) {
        throw UniserveException.invalid("no queries here");
    }

    private final class Add implements AtomicUpdate<KvActor, Document> {
        private final Path scratch;

        private Add(Path scratch) {
            this.scratch = scratch;
        }

        @Override
        public String id() {
            return KvUpdateFunctions.ADD.id();
        }

        @Override
        public Class<KvActor> actorType() {
            return KvUpdateFunctions.ADD.actorType();
        }

        @Override
        public Codec<Document> rows() {
            return KvUpdateFunctions.ADD.rows();
        }

        @Override
        public void validate(KvActor actor, List<Document> rows) {
            KvUpdateFunctions.ADD.validate(actor, rows);
        }

        @Override
        public Prepared prepare(KvActor actor, UpdateContext context, List<Document> rows) {
            pass(scratch);
            return KvUpdateFunctions.ADD.prepare(actor, context, rows);
        }
    }
}
