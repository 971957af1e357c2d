package io.uniserve.protocol.replica;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.BackupRecord;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableName;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry.Versioned;
import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.message.LogEntry;
import java.util.List;

/** Fills an empty log from durable storage: every object is checked before its entries are appended, in order. */
final class Restorer {
    private final Environment env;
    private final String clusterId;
    private final ReplicaKey key;
    private final TableName table;
    private final ReplicaLog log;
    private final Completion<Done> completion;
    private Runnable whenDurable = () -> {};
    private boolean ended;

    Restorer(
            Environment env,
            String clusterId,
            ReplicaKey key,
            TableName table,
            ReplicaLog log,
            Completion<Done> completion) {
        this.env = env;
        this.clusterId = clusterId;
        this.key = key;
        this.table = table;
        this.log = log;
        this.completion = completion;
    }

    void run() {
        env.registry()
                .sync(synced -> env.registry().read(RegistryPaths.backup(table, key.actor()), read -> {
                    if (synced instanceof Outcome.Err<Done> err) {
                        end(Outcome.err(err.error()));
                    } else if (read instanceof Outcome.Err<Versioned> err) {
                        end(Outcome.err(err.error()));
                    } else {
                        boolean ours = ((Outcome.Ok<Versioned>) read).value().value() instanceof BackupRecord found
                                && found.key().equals(key);
                        list(
                                ours
                                        ? ((BackupRecord)
                                                        java.util.Objects.requireNonNull(((Outcome.Ok<Versioned>) read)
                                                                .value()
                                                                .value()))
                                                .shippedIndex()
                                        : 0);
                    }
                }));
    }

    private void list(long due) {
        String prefix = BackupKeys.logPrefix(clusterId, key);
        env.objects().list(prefix, listed -> {
            if (listed instanceof Outcome.Err<List<String>> err) {
                end(Outcome.err(err.error()));
                return;
            }
            List<BackupKeys.Run> chain = BackupKeys.chain(((Outcome.Ok<List<String>>) listed).value(), prefix);
            long last = chain.isEmpty() ? 0 : chain.get(chain.size() - 1).last();
            if (last < due) {
                end(Outcome.err(new UniserveException(
                        ErrorCode.CORRUPT, "durable storage has the log up to " + last + ", the record says " + due)));
            } else {
                fetch(chain, 0);
            }
        });
    }

    private void fetch(List<BackupKeys.Run> chain, int at) {
        if (at == chain.size()) {
            end(Outcome.ok(Done.DONE));
            return;
        }
        BackupKeys.Run run = chain.get(at);
        env.objects().get(run.key(), got -> {
            if (got instanceof Outcome.Err<Bytes> err) {
                end(Outcome.err(err.error()));
                return;
            }
            Outcome<List<LogEntry>> decoded = ReplicaLog.decode(((Outcome.Ok<Bytes>) got).value(), run.first());
            if (decoded instanceof Outcome.Ok<List<LogEntry>> ok && ok.value().size() == run.last() - run.first() + 1) {
                append(ok.value(), () -> fetch(chain, at + 1));
            } else {
                end(Outcome.err(
                        new UniserveException(ErrorCode.CORRUPT, "backup object " + run.key() + " does not check")));
            }
        });
    }

    private void append(List<LogEntry> entries, Runnable then) {
        for (LogEntry entry : entries) {
            if (entry.index() > log.lastIndex()) {
                log.append(entry);
            }
        }
        whenDurable = then;
        durable();
    }

    /** More of the log is on disk. */
    void durable() {
        if (!ended && log.durableIndex() == log.lastIndex()) {
            Runnable then = whenDurable;
            whenDurable = () -> {};
            then.run();
        }
    }

    void failed(UniserveException error) {
        end(Outcome.err(error));
    }

    private void end(Outcome<Done> outcome) {
        if (!ended) {
            ended = true;
            completion.done(outcome);
        }
    }
}
