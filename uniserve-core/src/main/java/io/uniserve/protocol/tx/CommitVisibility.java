package io.uniserve.protocol.tx;

import io.uniserve.model.TransactionLogState;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry.Versioned;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * Which committed versions this server may act on. A driver may deny for a moment that anybody knows of a version whose commit is
 * under way ({@link TransactionManager#undisclosed}), so that readers need not wait for the registry; so whoever learns of a commit from the
 * registry itself, and not from the driver or from somebody it was disclosed to, keeps it to himself until the driver has certainly
 * stopped. Every read of a table's log on a server passes through {@link #read}, but those of {@link ConsistentCutReader}, which looks at logs twice
 * and has what it then tells pass through {@link #await}.
 *
 * <p>A version is disclosed when its driver has told it, in a log or by a DECIDE, when this server's own driver has written it, or
 * {@link TransactionConfig#withholdNanos} after it was read here. Versions up to it then are, too: a driver begins a version only after a
 * log whose versions were disclosed to it. Not thread-safe: runs on the server's loop.
 */
public final class CommitVisibility {
    /** Of more tables than these the oldest are forgotten, which may have been dropped: the next read of one waits once. */
    private static final int TABLES_MAX = 4_096;

    private final Environment env;
    private final TransactionConfig config;
    private final TreeMap<Long, Long> disclosed = new TreeMap<>();
    private final TreeMap<Long, List<Withheld>> withheld = new TreeMap<>();

    /** What waits for a version of a table. */
    private record Withheld(long version, Runnable then) {}

    CommitVisibility(Environment env, TransactionConfig config) {
        this.env = env;
        this.config = config;
    }

    /** True where others than the version's driver may know by now that it is committed. */
    boolean isDisclosed(long tableId, long version) {
        return version <= disclosed.getOrDefault(tableId, 0L);
    }

    /** Others than the version's driver may know by now that it is committed. */
    public void disclosed(long tableId, long version) {
        if (isDisclosed(tableId, version)) {
            return;
        }
        disclosed.put(tableId, version);
        if (disclosed.size() > TABLES_MAX) {
            disclosed.pollFirstEntry();
        }
        List<Withheld> waiting = withheld.get(tableId);
        if (waiting != null) {
            List<Withheld> free =
                    waiting.stream().filter(one -> one.version <= version).toList();
            waiting.removeAll(free);
            if (waiting.isEmpty()) {
                withheld.remove(tableId);
            }
            free.forEach(one -> env.timers().post(one.then()));
        }
    }

    /** Runs it when the version may be acted on, at once where it may be now. */
    public void await(long tableId, long version, Runnable then) {
        if (isDisclosed(tableId, version)) {
            then.run();
            return;
        }
        withheld.computeIfAbsent(tableId, id -> new ArrayList<>()).add(new Withheld(version, then));
        env.timers().after(config.withholdNanos(), () -> disclosed(tableId, version));
    }

    /** Reads a table's log from the registry, and tells it when the newest version in it may be acted on. */
    public void read(String path, Completion<Versioned> completion) {
        env.registry().read(path, read -> {
            if (read instanceof Outcome.Ok<Versioned> ok && ok.value().value() instanceof TransactionLogState log) {
                await(log.tableId(), log.version(), () -> completion.done(read));
            } else {
                completion.done(read);
            }
        });
    }
}
