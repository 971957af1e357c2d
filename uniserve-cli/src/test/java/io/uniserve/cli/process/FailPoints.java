package io.uniserve.cli.process;

import io.uniserve.codec.Bytes;
import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.ClientNetwork;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Disk;
import io.uniserve.protocol.env.EngineHost;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.message.LogEntry;
import io.uniserve.protocol.message.client.UpdateRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Fail points between the phases of an atomic update: a server or client of a test kills itself by SIGKILL, or stops by SIGSTOP, if a file
 * in a directory orders it. They are in wrappers of the registry, disk and engine of the server's state machine, or of the network of a
 * client's state machines, so the production code has no hooks. For the process's event loop only.
 */
final class FailPoints {
    private static final int ENTRY_HEADER_BYTES = 12;

    private final Path directory;
    private final String process;

    /** Place of a fail point. */
    enum Place {
        /** At the transaction manager: all have voted, the decision is not written. */
        BEFORE_COMMIT,
        /** At the transaction manager: the decision is written, no participant was notified. */
        AFTER_COMMIT,
        /** At a participant: the PREPARE is durable, the vote is not sent. */
        PREPARE_SYNCED,
        /** At a participant: the commit is applied, no process was notified. */
        COMMIT_APPLIED,
        /** At a client: the primaries of all its actors have staged the rows of its large update, no transaction manager was called. */
        ROWS_STAGED
    }

    FailPoints(Path directory, String process) {
        this.directory = directory;
        this.process = process;
    }

    /**
     * Orders the process to signal itself, once.
     *
     * @param signal KILL or STOP
     * @param of a part of the path of the table's log, or of the replica's files; or of the table's name at a client
     */
    void order(Place place, String signal, String of) throws IOException {
        order(place, signal, of, "");
    }

    /** @param text must be in the data that has become durable there */
    void order(Place place, String signal, String of, String text) throws IOException {
        Files.createDirectories(directory);
        Files.deleteIfExists(path(place, "reached")); // of an earlier order
        Path draft = directory.resolve(process + "." + place + ".draft");
        Files.writeString(draft, signal + " " + of + " " + text);
        Files.move(draft, path(place, "order"), StandardCopyOption.ATOMIC_MOVE);
    }

    /** True after the process reached the place. */
    boolean reached(Place place) {
        return Files.exists(path(place, "reached"));
    }

    private Path path(Place place, String kind) {
        return directory.resolve(process + "." + place + "." + kind);
    }

    private void pass(Place place, String subject) {
        pass(place, subject, Bytes.EMPTY);
    }

    private void pass(Place place, String subject, Bytes content) {
        Path order = path(place, "order");
        if (!Files.exists(order)) {
            return;
        }
        try {
            String[] words = Files.readString(order).split(" ", -1);
            if (!subject.contains(words[1]) || !text(content).contains(words[2])) {
                return;
            }
            Files.delete(order);
            Files.writeString(path(place, "reached"), subject);
            String pid = Long.toString(ProcessHandle.current().pid());
            new ProcessBuilder("kill", "-" + words[0], pid).start().waitFor();
            while (words[0].equals("KILL")) {
                LockSupport.park(); // no further step until the signal arrives
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static String text(Bytes content) {
        return new String(content.toArray(), StandardCharsets.ISO_8859_1);
    }

    /** Wraps the network of a client's state machines. */
    ClientNetwork around(ClientNetwork network) {
        return around(ClientNetwork.class, network, this::client);
    }

    /** Wraps the environment of the state machine. */
    Environment around(Environment env) {
        return new Environment(
                env.clock(),
                env.timers(),
                env.network(),
                around(Registry.class, env.registry(), this::registry),
                around(Disk.class, env.disk(), this::disk),
                env.objects(),
                around(EngineHost.class, env.engine(), this::engine),
                env.ids());
    }

    /** Advice that inspects a call and may replace its arguments. */
    @FunctionalInterface
    private interface Advice {
        void before(String method, Object[] arguments);
    }

    private static <T> T around(Class<T> type, T target, Advice advice) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, given) -> {
                    Object[] arguments = given == null ? new Object[0] : given;
                    advice.before(method.getName(), arguments);
                    try {
                        return method.invoke(target, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause() == null ? e : e.getCause();
                    }
                }));
    }

    private void client(String method, Object[] arguments) {
        if (method.equals("update")
                && arguments[1] instanceof UpdateRequest request
                && request.actors().stream().anyMatch(actor -> actor.staged() != null)) {
            pass(Place.ROWS_STAGED, request.table().value());
        }
    }

    /** The commit is the only write that checks a map and sets a log. */
    private void registry(String method, Object[] arguments) {
        if (!method.equals("multi") || !(arguments[0] instanceof List<?> all)) {
            return;
        }
        List<?> ops = all.stream().filter(op -> !checksIdentity(op)).toList();
        if (ops.size() != 2
                || !(ops.get(0) instanceof Registry.Op.Check check
                        && check.path().endsWith("/map"))
                || !(ops.get(1) instanceof Registry.Op.Set set && RegistryPaths.isLog(set.path()))) {
            return;
        }
        pass(Place.BEFORE_COMMIT, set.path());
        arguments[1] = then(arguments[1], value -> {
            if (value instanceof Registry.MultiResult result && result.applied()) {
                pass(Place.AFTER_COMMIT, set.path());
            }
        });
    }

    /** True for the check of the cluster's identity, which every write has. */
    private static boolean checksIdentity(@Nullable Object op) {
        return op instanceof Registry.Op.Check check && check.path().startsWith(RegistryPaths.IDENTITY);
    }

    private void disk(String method, Object[] arguments) {
        if (method.equals("appendSynced")
                && arguments[0] instanceof String path
                && arguments[1] instanceof Bytes data
                && path.endsWith(".seg")
                && prepares(data)) {
            arguments[3] = then(arguments[3], value -> pass(Place.PREPARE_SYNCED, path, data));
        }
    }

    /** True if one of the entries of a log is a PREPARE: mark, length, checksum, then the type. */
    private static boolean prepares(Bytes data) {
        ByteBuffer in = ByteBuffer.wrap(data.toArray());
        for (int at = 0; at + ENTRY_HEADER_BYTES < in.limit(); at += ENTRY_HEADER_BYTES + in.getInt(at + 4)) {
            if (in.get(at + ENTRY_HEADER_BYTES) == LogEntry.Type.PREPARE.ordinal()) {
                return true;
            }
        }
        return false;
    }

    private void engine(String method, Object[] arguments) {
        if (method.equals("decide") && arguments[0] instanceof ReplicaKey key && Boolean.TRUE.equals(arguments[2])) {
            arguments[3] = then(arguments[3], value -> pass(Place.COMMIT_APPLIED, key + "/"));
        }
    }

    /** Callback that gets a success before the state machine does. */
    @FunctionalInterface
    private interface Success {
        void of(@Nullable Object value);
    }

    @SuppressWarnings("unchecked")
    private static Completion<Object> then(Object completion, Success first) {
        Completion<Object> next = (Completion<Object>) completion;
        return outcome -> {
            if (outcome instanceof Outcome.Ok<Object> ok) {
                first.of(ok.value());
            }
            next.done(outcome);
        };
    }
}
