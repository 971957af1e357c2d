package io.uniserve.runtime.engine;

import io.uniserve.api.Actor;
import io.uniserve.api.ActorContext;
import io.uniserve.api.ActorFactory;
import io.uniserve.api.ActorUsage;
import io.uniserve.api.Document;
import io.uniserve.api.Engine;
import io.uniserve.api.EngineContext;
import io.uniserve.api.EngineInstance;
import io.uniserve.api.operator.Operator;
import io.uniserve.api.update.EventualUpdate;
import io.uniserve.api.update.UpdateContext;
import io.uniserve.api.update.UpdateFunction;
import io.uniserve.codec.Codec;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.PortInfo;
import io.uniserve.model.registry.TableMeta;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Engine for tests of the host: the key of an update's row selects an action, such as hanging, failing or filling the disk. */
final class TestingPort implements Engine, EngineInstance, ActorFactory<TestingPort.Kept> {
    static final String UPDATE = "testing.step@1";
    private static final int HANG_SECONDS_MAX = 30;

    final List<String> events = new CopyOnWriteArrayList<>();
    final List<Map<String, String>> options = new CopyOnWriteArrayList<>();
    final List<Path> scratches = new CopyOnWriteArrayList<>();
    final AtomicInteger hanging = new AtomicInteger();
    final CountDownLatch go = new CountDownLatch(1);
    volatile boolean createHangs;
    volatile boolean createFails;
    volatile boolean publishFails;
    volatile @Nullable Throwable writeFailure;

    @Override
    public PortInfo info() {
        return new PortInfo("testing", "1", Set.of(ConsistencyLevel.EVENTUAL), List.of(), List.of(UPDATE));
    }

    @Override
    public void validate(TableMeta meta) {
        // accepts every table
    }

    /** Options may only be extended. */
    @Override
    public void validateChange(TableMeta before, TableMeta now) {
        String was = before.options().getOrDefault("word.later", "");
        if (!now.options().getOrDefault("word.later", "").startsWith(was)) {
            throw UniserveException.invalid("word.later must begin with " + was);
        }
    }

    @Override
    public EngineInstance open(EngineContext context) {
        return this;
    }

    @Override
    public ActorFactory<?> actors() {
        return this;
    }

    @Override
    public List<Operator<?, ?>> operators() {
        return List.of();
    }

    @Override
    public List<UpdateFunction<?, ?>> updates() {
        return List.of(new Step());
    }

    @Override
    public Kept create(ActorContext context) {
        scratches.add(context.scratch());
        if (createFails) {
            throw new IllegalStateException("no actor today");
        }
        if (createHangs) {
            hang();
        }
        write(context.scratch().resolve("live"), 1);
        events.add("create");
        options.add(context.meta().options());
        return new Kept(context.scratch());
    }

    @Override
    public Kept restore(ActorContext context, Path directory) {
        return create(context);
    }

    private void hang() {
        hanging.incrementAndGet();
        try {
            if (!go.await(HANG_SECONDS_MAX, TimeUnit.SECONDS)) {
                throw new IllegalStateException("nobody ended the hanging");
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void write(Path file, int megabytes) {
        try (var out = Files.newOutputStream(file)) {
            for (int i = 0; i < megabytes; i++) {
                out.write(new byte[1 << 20]);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        events.add("close");
    }

    /** Actor with a file. */
    final class Kept implements Actor {
        private final Path scratch;

        private Kept(Path scratch) {
            this.scratch = scratch;
        }

        @Override
        public ActorUsage usage() {
            return new ActorUsage(1, 2, 3);
        }

        @Override
        public void publish() {
            events.add("publish");
            if (publishFails) {
                throw new IllegalStateException("not published as told");
            }
        }

        @Override
        public void writeTo(Path directory) {
            if (writeFailure instanceof RuntimeException failure) {
                throw failure;
            }
            if (writeFailure instanceof Error failure) {
                throw failure;
            }
            write(directory.resolve("data"), 1);
        }

        @Override
        public byte[] digest() {
            return new byte[] {1};
        }

        @Override
        public void destroy() {
            events.add("destroy");
        }

        @Override
        public void close() {
            // holds nothing
        }
    }

    private final class Step implements EventualUpdate<Kept, Document> {
        @Override
        public String id() {
            return UPDATE;
        }

        @Override
        public Class<Kept> actorType() {
            return Kept.class;
        }

        @Override
        public Codec<Document> rows() {
            return Document.CODEC;
        }

        @Override
        public void validate(Kept actor, List<Document> rows) {
            // accepts every row
        }

        @Override
        public boolean readsActor(Document row) {
            return "look".equals(row.fields().get(row.keyField()));
        }

        @Override
        public void update(Kept actor, UpdateContext context, List<Document> rows) {
            for (Document row : rows) {
                String step = String.valueOf(row.fields().get(row.keyField()));
                switch (step) {
                    case "hang" -> hang();
                    case "fail" -> throw new IllegalStateException("failed as told");
                    case "fill" -> write(actor.scratch.resolve("large"), 8);
                    case "memory" -> throw new OutOfMemoryError("as told");
                    default -> events.add(step);
                }
            }
        }
    }
}
