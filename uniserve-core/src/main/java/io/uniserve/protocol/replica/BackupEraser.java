package io.uniserve.protocol.replica;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableMap;
import io.uniserve.model.TableName;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry.Versioned;
import java.util.ArrayDeque;
import java.util.List;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes from durable storage what belongs to actors of dropped tables. Whoever asks, the registry is read first: a table's
 * number is never given twice, so one that is gone stays gone.
 */
public final class BackupEraser {
    private static final Logger LOG = LoggerFactory.getLogger(BackupEraser.class);

    private final Environment env;
    private final ReplicaConfig config;
    private final TreeSet<ReplicaKey> running = new TreeSet<>();

    public BackupEraser(Environment env, ReplicaConfig config) {
        this.env = env;
        this.config = config;
    }

    /**
     * Deletes every object of the actor. Errors: INVALID_ARGUMENT where the table is there, UNSUPPORTED where this server has no
     * durable storage, UNAVAILABLE where it is at it already, those of registry and storage: then some may be left.
     */
    public void erase(TableName table, ReplicaKey key, Completion<Done> completion) {
        if (config.shippingNanos() == 0) {
            completion.done(error(ErrorCode.UNSUPPORTED, "this server has no durable storage: ask one that has"));
        } else if (!running.add(key)) {
            completion.done(error(ErrorCode.UNAVAILABLE, "the backup of " + key + " is being deleted: ask again"));
        } else {
            check(table, key, outcome -> {
                running.remove(key);
                completion.done(outcome);
            });
        }
    }

    /** As {@link #erase}, told to the log only. */
    public void tryErase(TableName table, ReplicaKey key) {
        erase(table, key, outcome -> {
            if (outcome instanceof Outcome.Err<Done> err && err.error().code() != ErrorCode.UNSUPPORTED) {
                LOG.warn(
                        "{}: the backup of a dropped table is not deleted: {}",
                        key,
                        err.error().getMessage());
            }
        });
    }

    private void check(TableName table, ReplicaKey key, Completion<Done> completion) {
        env.registry()
                .sync(synced -> env.registry().read(RegistryPaths.map(table), read -> {
                    if (synced instanceof Outcome.Err<Done>) {
                        completion.done(synced);
                    } else if (!(read instanceof Outcome.Ok<Versioned> ok)) {
                        completion.done(Outcome.err(((Outcome.Err<Versioned>) read).error()));
                    } else if (ok.value().value() instanceof TableMap map && map.tableId() == key.tableId()) {
                        completion.done(
                                error(ErrorCode.INVALID_ARGUMENT, "table " + table + " is there: drop it first"));
                    } else {
                        list(key, completion);
                    }
                }));
    }

    private void list(ReplicaKey key, Completion<Done> completion) {
        env.objects().list(BackupKeys.root(config.clusterId(), key), listed -> {
            if (listed instanceof Outcome.Ok<List<String>> ok) {
                if (!ok.value().isEmpty()) {
                    LOG.info(
                            "{}: its table is dropped, {} objects of its backup are deleted",
                            key,
                            ok.value().size());
                }
                delete(new ArrayDeque<>(ok.value()), completion);
            } else {
                completion.done(Outcome.err(((Outcome.Err<List<String>>) listed).error()));
            }
        });
    }

    private void delete(ArrayDeque<String> names, Completion<Done> completion) {
        String name = names.poll();
        if (name == null) {
            completion.done(Outcome.ok(Done.DONE));
            return;
        }
        env.objects().delete(name, done -> {
            if (done instanceof Outcome.Ok<Done>) {
                delete(names, completion);
            } else {
                completion.done(done);
            }
        });
    }

    private static Outcome<Done> error(ErrorCode code, String why) {
        return Outcome.err(new UniserveException(code, why));
    }
}
