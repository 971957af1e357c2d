package io.uniserve.protocol.testing;

import io.uniserve.api.ActorUsage;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.EngineHost;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.RowStateDependency;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Engine with actors that are lists of {@code index=rows}. It checks that calls are serialized and in order. Rows with these prefixes are
 * special: "bad" is rejected by validation, "poison" fails when it is applied, "misfit" is rejected by prepare, "if N" is a condition that
 * holds while the actor has N entries, and "unseen" fails when it is published.
 */
public final class TestingEngine implements EngineHost {
    private static final long CALL_NANOS = 20_000;
    private static final String CONSTANT = "never changes";

    private final TestingLoop loop;
    private final TestingDisk disk;
    private final TreeMap<ReplicaKey, List<String>> actors = new TreeMap<>();
    private final TreeSet<ReplicaKey> busy = new TreeSet<>();
    private final TreeMap<ReplicaKey, TreeMap<Long, List<String>>> prepared = new TreeMap<>();
    private final TreeMap<ReplicaKey, TreeMap<Long, List<String>>> states = new TreeMap<>();
    private int failingPrepares;
    private int failingDecisions;
    private boolean hangingPrepares;
    private final List<Runnable> hungPrepares = new ArrayList<>();
    private UnaryOperator<String> preparesAs = rows -> rows;
    private boolean checkingPrepared;
    private int failing;
    private ErrorCode applyError = ErrorCode.PORT_FAILED;
    private int failingRestores;
    private ErrorCode restoreError = ErrorCode.PORT_FAILED;
    private boolean hanging;
    private boolean digestsHang;
    private boolean mended;
    private boolean dead;
    private int builds;
    private long buildNanos = CALL_NANOS;
    private int validations;
    private int publishes;

    public TestingEngine(TestingLoop loop, TestingDisk disk) {
        this.loop = loop;
        this.disk = disk;
    }

    /** The rows of the actor. */
    public List<String> rows(ReplicaKey key) {
        return actors.getOrDefault(key, List.of());
    }

    /** Changes a row in the engine's memory. */
    public void spoil(ReplicaKey key, int row, String as) {
        actors.getOrDefault(key, new ArrayList<>()).set(row, as);
    }

    /** Number of times that an actor was created or restored. */
    public int builds() {
        return builds;
    }

    /** Makes each build of an actor take this long from now on. */
    public void slowBuilds(long nanos) {
        buildNanos = nanos;
    }

    /** Number of validations. */
    public int validations() {
        return validations;
    }

    /** Makes the next applies fail. */
    public void failApplies(int count) {
        failApplies(count, ErrorCode.PORT_FAILED);
    }

    /** Makes the next applies fail with this code. */
    public void failApplies(int count, ErrorCode code) {
        failing = count;
        applyError = code;
    }

    /** Makes the next restores fail with this code. */
    public void failRestores(int count, ErrorCode code) {
        failingRestores = count;
        restoreError = code;
    }

    /** Makes the next prepares fail. */
    public void failPrepares(int count) {
        failingPrepares = count;
    }

    /** Makes the next commits and aborts fail. */
    public void failDecisions(int count) {
        failingDecisions = count;
    }

    /** Makes prepares hang from now on. */
    public void hangPrepares() {
        hangingPrepares = true;
    }

    /** Counts prepared rows in conditions from now on, as an engine with transactions does. */
    public void checkPrepared() {
        checkingPrepared = true;
    }

    /** Changes rows when they are prepared from now on: the engine is not deterministic. */
    public void prepareAs(UnaryOperator<String> others) {
        preparesAs = others;
    }

    /** Completes prepares that hang. */
    public void resumePrepares() {
        hangingPrepares = false;
        List<Runnable> all = List.copyOf(hungPrepares);
        hungPrepares.clear();
        all.forEach(Runnable::run);
    }

    /** Number of prepares that hang. */
    public int hungPrepares() {
        return hungPrepares.size();
    }

    /** The rows at this version, 0 for the newest; null if that state is not kept. */
    public @Nullable State state(ReplicaKey key, long at) {
        TreeMap<Long, List<String>> kept = states.getOrDefault(key, new TreeMap<>());
        Map.Entry<Long, List<String>> entry = at == 0 ? kept.lastEntry() : kept.floorEntry(at);
        return entry == null ? null : new State(entry.getKey(), entry.getValue());
    }

    /** Rows of an actor at a version. */
    public record State(long version, List<String> rows) {}

    private void keep(ReplicaKey key, long version, boolean anew) {
        TreeMap<Long, List<String>> kept = states.computeIfAbsent(key, k -> new TreeMap<>());
        if (anew) {
            kept.clear();
            prepared.remove(key);
        }
        kept.put(version, List.copyOf(rows(key)));
    }

    /** Makes applies hang for ever. */
    public void hang() {
        hanging = true;
    }

    /** Makes digests hang for ever. */
    public void hangDigests() {
        digestsHang = true;
    }

    /** Kills the process. */
    public void kill() {
        dead = true;
    }

    private <T> void run(ReplicaKey key, Completion<T> completion, Supplier<Outcome<T>> action) {
        run(key, CALL_NANOS, completion, action);
    }

    private <T> void run(ReplicaKey key, long nanos, Completion<T> completion, Supplier<Outcome<T>> action) {
        if (!busy.add(key)) {
            throw new IllegalStateException("two calls at a time for " + key);
        }
        loop.after(nanos, () -> {
            busy.remove(key);
            if (!dead) {
                completion.done(action.get());
            }
        });
    }

    @Override
    public void create(ReplicaKey key, TableMeta meta, Completion<Done> completion) {
        run(key, buildNanos, completion, () -> {
            builds++;
            actors.put(key, new ArrayList<>());
            keep(key, 0, true);
            return Outcome.ok(Done.DONE);
        });
    }

    @Override
    public void restore(ReplicaKey key, TableMeta meta, String checkpointPath, Completion<Done> completion) {
        restore(key, meta, checkpointPath, 0, completion);
    }

    @Override
    public void restore(
            ReplicaKey key, TableMeta meta, String checkpointPath, long version, Completion<Done> completion) {
        run(key, buildNanos, completion, () -> {
            builds++;
            if (failingRestores > 0) {
                failingRestores--;
                return Outcome.err(new UniserveException(restoreError, "restore failed"));
            }
            String text = new String(disk.bytes(checkpointPath + "/rows"), java.nio.charset.StandardCharsets.UTF_8);
            actors.put(key, new ArrayList<>(text.isEmpty() ? List.of() : List.of(text.split("\n", -1))));
            keep(key, version, true);
            return Outcome.ok(Done.DONE);
        });
    }

    @Override
    public void validate(ReplicaKey key, String function, Bytes rows, Completion<RowStateDependency> completion) {
        validations++;
        loop.soon(() -> {
            if (!dead) {
                completion.done(checked(key, rows.utf8()));
            }
        });
    }

    private Outcome<RowStateDependency> checked(ReplicaKey key, String rows) {
        if (rows.startsWith("bad")) {
            return Outcome.err(new UniserveException(ErrorCode.INVALID_ROW, "bad row"));
        }
        if (!rows.startsWith("if ")) {
            return Outcome.ok(RowStateDependency.NONE);
        }
        int wanted = Integer.parseInt(rows.split(" ")[1]);
        int held = rows(key).size()
                + (checkingPrepared
                        ? prepared.getOrDefault(key, new TreeMap<>()).values().stream()
                                .mapToInt(List::size)
                                .sum()
                        : 0);
        return held == wanted
                ? Outcome.ok(RowStateDependency.ON_STATE)
                : Outcome.err(new UniserveException(ErrorCode.CONFLICT, held + " rows, not " + wanted));
    }

    @Override
    public void apply(ReplicaKey key, List<Update> updates, boolean publish, Completion<Done> completion) {
        if (hanging) {
            return;
        }
        run(key, completion, () -> {
            if (updates.stream().anyMatch(update -> update.rows().utf8().startsWith("poison"))) {
                return Outcome.err(new UniserveException(ErrorCode.PORT_FAILED, "poison"));
            }
            if (failing > 0) {
                failing--;
                return Outcome.err(new UniserveException(applyError, "apply failed"));
            }
            List<String> rows = actors.get(key);
            if (rows == null) {
                return Outcome.err(new UniserveException(ErrorCode.UNAVAILABLE, "no actor of " + key + " is open"));
            }
            updates.forEach(
                    update -> rows.add(update.index() + "=" + update.rows().utf8()));
            return publish ? published(key) : Outcome.ok(Done.DONE);
        });
    }

    @Override
    public void prepare(ReplicaKey key, long version, List<Update> batches, Completion<Done> completion) {
        if (hangingPrepares) {
            hungPrepares.add(() -> prepare(key, version, batches, completion));
            return;
        }
        run(key, completion, () -> {
            if (failingPrepares > 0
                    || batches.stream().anyMatch(batch -> batch.rows().utf8().startsWith("poison"))) {
                failingPrepares = Math.max(0, failingPrepares - 1);
                return Outcome.err(new UniserveException(ErrorCode.PORT_FAILED, "prepare failed"));
            }
            if (batches.stream().anyMatch(batch -> batch.rows().utf8().startsWith("misfit"))) {
                return Outcome.err(new UniserveException(ErrorCode.INVALID_ROW, "no such row to change"));
            }
            prepared.computeIfAbsent(key, k -> new TreeMap<>())
                    .put(
                            version,
                            batches.stream()
                                    .map(batch -> preparesAs.apply(batch.rows().utf8()))
                                    .toList());
            return Outcome.ok(Done.DONE);
        });
    }

    @Override
    public void decide(ReplicaKey key, long version, boolean commit, Completion<Done> completion) {
        run(key, completion, () -> {
            if (failingDecisions > 0) {
                failingDecisions--;
                return Outcome.err(new UniserveException(ErrorCode.PORT_FAILED, "commit failed"));
            }
            List<String> rows = prepared.getOrDefault(key, new TreeMap<>()).remove(version);
            List<String> held = actors.get(key);
            if (!commit) {
                return Outcome.ok(Done.DONE);
            }
            if (rows == null || held == null) {
                throw new IllegalStateException("version " + version + " of " + key + " is not prepared");
            }
            rows.forEach(row -> held.add(version + "=" + row));
            keep(key, version, false);
            return Outcome.ok(Done.DONE);
        });
    }

    @Override
    public void publish(ReplicaKey key, Completion<Done> completion) {
        run(key, completion, () -> published(key));
    }

    /** Drops the actor, as when a publication for a reader fails. */
    public void lose(ReplicaKey key) {
        actors.remove(key);
    }

    /** Makes all publications succeed from now on. */
    public void mend() {
        mended = true;
    }

    private Outcome<Done> published(ReplicaKey key) {
        List<String> rows = actors.get(key);
        if (rows == null) {
            return Outcome.err(new UniserveException(ErrorCode.UNAVAILABLE, "no actor of " + key + " is open"));
        }
        publishes++;
        if (!mended && rows.stream().anyMatch(row -> row.contains("=unseen"))) {
            actors.remove(key);
            return Outcome.err(new UniserveException(ErrorCode.PORT_FAILED, "cannot be published"));
        }
        return Outcome.ok(Done.DONE);
    }

    /** Number of publications. */
    public int publishes() {
        return publishes;
    }

    @Override
    public void checkpoint(ReplicaKey key, String checkpointPath, Completion<Done> completion) {
        run(key, completion, () -> {
            disk.put(
                    checkpointPath + "/rows",
                    Bytes.utf8(String.join("\n", rows(key))).toArray());
            disk.put(checkpointPath + "/constant", CONSTANT.getBytes(java.nio.charset.StandardCharsets.UTF_8));
            return Outcome.ok(Done.DONE);
        });
    }

    @Override
    public void verify(String checkpointPath, Completion<Done> completion) {
        loop.soon(() -> {
            byte[] constant = disk.bytes(checkpointPath + "/constant");
            completion.done(
                    new String(constant, java.nio.charset.StandardCharsets.UTF_8).equals(CONSTANT)
                            ? Outcome.ok(Done.DONE)
                            : Outcome.err(new UniserveException(ErrorCode.CORRUPT, "the checkpoint does not check")));
        });
    }

    @Override
    public void digest(ReplicaKey key, Completion<Bytes> completion) {
        if (digestsHang) {
            return;
        }
        loop.soon(() ->
                completion.done(Outcome.ok(Bytes.utf8(rows(key).size() + "\n" + String.join("\n", rows(key))))));
    }

    @Override
    public void usage(ReplicaKey key, Completion<ActorUsage> completion) {
        loop.soon(() -> completion.done(Outcome.ok(new ActorUsage(rows(key).size(), 0, 0))));
    }

    @Override
    public void destroy(ReplicaKey key, Completion<Done> completion) {
        run(key, completion, () -> {
            actors.remove(key);
            return Outcome.ok(Done.DONE);
        });
    }
}
