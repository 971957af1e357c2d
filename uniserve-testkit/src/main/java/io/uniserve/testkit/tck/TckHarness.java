package io.uniserve.testkit.tck;

import io.uniserve.api.Actor;
import io.uniserve.api.ActorContext;
import io.uniserve.api.ActorFactory;
import io.uniserve.api.ActorView;
import io.uniserve.api.Document;
import io.uniserve.api.Engine;
import io.uniserve.api.EngineContext;
import io.uniserve.api.EngineInstance;
import io.uniserve.api.Row;
import io.uniserve.api.extra.RevocableActor;
import io.uniserve.api.extra.SnapshotActor;
import io.uniserve.api.operator.Operator;
import io.uniserve.api.operator.OperatorContext;
import io.uniserve.api.operator.RetrieveOperator;
import io.uniserve.api.update.AtomicUpdate;
import io.uniserve.api.update.EventualUpdate;
import io.uniserve.api.update.Prepared;
import io.uniserve.api.update.UpdateContext;
import io.uniserve.api.update.UpdateFunction;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.registry.TableMeta;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Running engine of a port under test. All casts to its types are in this class. Thread-safe. */
public final class TckHarness implements AutoCloseable {
    private final PortFixture fixture;
    private final Path directory;
    private final Engine engine;
    private final EngineInstance instance;
    private final AtomicInteger names = new AtomicInteger();
    private final AtomicLong index = new AtomicLong();
    private final List<Actor> actors = new ArrayList<>();

    TckHarness(PortFixture fixture, Path directory) {
        this.fixture = fixture;
        this.directory = directory;
        this.engine = fixture.engine();
        this.instance = engine.open(new EngineContext(newDirectory(), fixture.settings()));
    }

    PortFixture fixture() {
        return fixture;
    }

    Engine engine() {
        return engine;
    }

    EngineInstance instance() {
        return instance;
    }

    /** A new empty directory. */
    Path newDirectory() {
        try {
            return Files.createDirectories(directory.resolve("d" + names.incrementAndGet()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Actor create() {
        return register(instance.actors().create(context()));
    }

    Actor restore(Path from) {
        ActorFactory<? extends Actor> factory = instance.actors();
        return register(factory.restore(context(), from));
    }

    /** {@link #create} for an atomic table. */
    Actor createAtomic() {
        return register(instance.actors().create(atomicContext()));
    }

    /** {@link #restore} for an atomic table. */
    Actor restoreAtomic(Path from) {
        ActorFactory<? extends Actor> factory = instance.actors();
        return register(factory.restore(atomicContext(), from));
    }

    /** The fixture's table with these options instead of its own. */
    TableMeta withOptions(Map<String, String> options) {
        TableMeta m = fixture.meta();
        return new TableMeta(
                m.name(),
                m.tableId(),
                m.partitioner(),
                m.keyField(),
                m.level(),
                m.rf(),
                m.minIsr(),
                m.onLoss(),
                m.port(),
                options);
    }

    /** {@link #create} for another table. */
    Actor create(TableMeta meta) {
        return register(instance.actors().create(new ActorContext(meta, names.incrementAndGet(), newDirectory())));
    }

    private ActorContext atomicContext() {
        TableMeta m = fixture.meta();
        TableMeta atomic = new TableMeta(
                m.name(),
                m.tableId(),
                m.partitioner(),
                m.keyField(),
                ConsistencyLevel.FULLY_SERIALIZABLE,
                m.rf(),
                m.minIsr(),
                m.onLoss(),
                m.port(),
                m.options());
        return new ActorContext(atomic, names.incrementAndGet(), newDirectory());
    }

    /** Prepares an upsert of these rows as the host does, after validation. */
    Prepared prepare(Actor actor, List<Document> rows) {
        AtomicUpdate<Actor, Row> atomic = AtomicUpdate.of(function(actor, fixture.upsert()), actor)
                .orElseThrow(() -> new AssertionError(fixture.upsert() + " cannot be prepared"));
        atomic.validate(actor, cast(rows));
        return atomic.prepare(actor, new UpdateContext(index.incrementAndGet()), cast(rows));
    }

    /** Stages the prepared version, after all its parts are prepared. */
    void stage(Actor actor) {
        if (actor instanceof RevocableActor<?> revocable) {
            revocable.stage();
        }
    }

    /** Commits the parts of a version as the host does. */
    void commit(Actor actor, List<Prepared> parts) {
        stage(actor);
        parts.forEach(Prepared::commit);
        actor.publish();
    }

    /** A view of the actor's current state. The caller closes it. */
    ActorView view(Actor actor) {
        if (actor instanceof SnapshotActor<?> snapshots) {
            return snapshots.snapshot();
        }
        throw new AssertionError("the port's actors give no views");
    }

    /** Number of rows, digest and answers of all probes. */
    Bytes contents(ActorView actor) {
        BinaryWriter out = new BinaryWriter();
        out.writeLong(actor.usage().rows()).writeString(Arrays.toString(actor.digest()));
        retrieveAll(actor).forEach(out::writeBytes);
        return out.toBytes();
    }

    /** A new actor with the rows {@code from} to {@code to - 1}, published. */
    Actor withRows(int from, int to) {
        Actor actor = create();
        upsert(actor, rows(from, to));
        return actor;
    }

    List<Document> rows(int from, int to) {
        List<Document> rows = new ArrayList<>();
        for (int i = from; i < to; i++) {
            rows.add(fixture.row(i));
        }
        return rows;
    }

    /** Validates, applies and publishes. */
    void upsert(Actor actor, List<Document> rows) {
        upsert(actor, fixture.upsert(), rows);
    }

    /** {@link #upsert} by another update function. */
    void upsert(Actor actor, String function, List<Document> rows) {
        update(actor, function).validate(actor, cast(rows));
        update(actor, function).update(actor, new UpdateContext(index.incrementAndGet()), cast(rows));
        actor.publish();
    }

    /** Validates and applies, without a publish. */
    void apply(Actor actor, List<Document> rows) {
        validate(actor, rows);
        update(actor, fixture.upsert()).update(actor, new UpdateContext(index.incrementAndGet()), cast(rows));
    }

    void validate(Actor actor, List<Document> rows) {
        update(actor, fixture.upsert()).validate(actor, cast(rows));
    }

    /** Writes a checkpoint of the actor. */
    Path write(Actor actor) {
        Path target = newDirectory();
        actor.writeTo(target);
        return target;
    }

    /** The probe's encoded answer. */
    <P, V> Bytes retrieve(ActorView actor, TckQuery<P, V> probe) {
        RetrieveOperator<ActorView, P, V> operator = operator(probe);
        return operator.values().encode(operator.retrieve(actor, activeContext(), probe.parameters()));
    }

    /** {@link #retrieve} with parameters that come from a client. */
    <P, V> Bytes retrieveAsSent(ActorView actor, TckQuery<P, V> query) {
        return retrieveEncoded(
                actor, query.operator(), operator(query).parameters().encode(query.parameters()));
    }

    /** The encoded answer of an operator to encoded parameters. */
    @SuppressWarnings("unchecked") // the codecs are those of the operator
    Bytes retrieveEncoded(ActorView actor, String id, Bytes parameters) {
        RetrieveOperator<ActorView, Object, Object> operator = (RetrieveOperator<ActorView, Object, Object>) find(id);
        Object decoded = operator.parameters().decode(parameters);
        return operator.values().encode(operator.retrieve(actor, activeContext(), decoded));
    }

    /** The encoded answers of all probes. */
    List<Bytes> retrieveAll(ActorView actor) {
        List<Bytes> answers = new ArrayList<>();
        for (TckQuery<?, ?> probe : fixture.probes()) {
            answers.add(retrieve(actor, probe));
        }
        return answers;
    }

    /** All operators of the port. */
    List<Operator<?, ?>> operators() {
        return List.copyOf(instance.operators());
    }

    @SuppressWarnings("unchecked")
    <P, V> RetrieveOperator<ActorView, P, V> operator(TckQuery<P, V> probe) {
        return (RetrieveOperator<ActorView, P, V>) find(probe.operator());
    }

    private Operator<?, ?> find(String id) {
        for (Operator<?, ?> operator : instance.operators()) {
            if (operator.id().equals(id)) {
                return operator;
            }
        }
        throw new AssertionError("the fixture names operator " + id + ", the port has none");
    }

    private EventualUpdate<Actor, Row> update(Actor actor, String id) {
        return (EventualUpdate<Actor, Row>) function(actor, id);
    }

    @SuppressWarnings("unchecked")
    private UpdateFunction<Actor, Row> function(Actor actor, String id) {
        for (UpdateFunction<?, ?> function : instance.updates()) {
            if (function.id().equals(id) && function.actorType().isInstance(actor)) {
                return (UpdateFunction<Actor, Row>) function;
            }
        }
        throw new AssertionError("the fixture names update " + id + ", the port has none for " + actor.getClass());
    }

    @SuppressWarnings("unchecked")
    private static List<Row> cast(List<Document> rows) {
        return (List<Row>) (List<? extends Row>) rows;
    }

    static OperatorContext activeContext() {
        return new OperatorContext() {
            @Override
            public int actor() {
                return 0;
            }

            @Override
            public long remainingNanos() {
                return Long.MAX_VALUE;
            }

            @Override
            public void checkActive() {
                // never fails: the kit's queries have no deadline
            }
        };
    }

    private ActorContext context() {
        return new ActorContext(fixture.meta(), names.incrementAndGet(), newDirectory());
    }

    private synchronized Actor register(Actor actor) {
        actors.add(actor);
        return actor;
    }

    @Override
    public synchronized void close() {
        actors.forEach(Actor::close);
        instance.close();
    }
}
