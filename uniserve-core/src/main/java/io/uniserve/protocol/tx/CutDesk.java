package io.uniserve.protocol.tx;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.TableLog;
import io.uniserve.model.TableMap;
import io.uniserve.model.TableName;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Registry.MultiResult;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.env.Registry.Versioned;
import io.uniserve.protocol.message.Cut;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the logs and maps of tables, then confirms all of them by one multi of checks: they were what was read at the moment of
 * the multi, which came after the question. Rests on no clock.
 */
public final class CutDesk {
    private static final int ATTEMPTS_MAX = 8;

    private final Registry registry;

    public CutDesk(Registry registry) {
        this.registry = registry;
    }

    /** The error of a strict read of a table whose updates are not atomic. */
    public static UniserveException noVersions(TableName table) {
        return new UniserveException(
                ErrorCode.UNSUPPORTED,
                "mode STRICT is not served for table " + table
                        + ", whose level is EVENTUAL: use the default mode, or a table of level SERIALIZABLE or"
                        + " FULLY_SERIALIZABLE");
    }

    /** TABLE_NOT_FOUND for one that does not exist, UNSUPPORTED for one whose updates are not atomic. */
    public void cut(List<TableName> tables, Completion<Cut> completion) {
        new Question(List.copyOf(tables), completion).begin(0);
    }

    private final class Question {
        private final List<TableName> tables;
        private final Completion<Cut> completion;
        private List<Op> checks = new ArrayList<>();
        private List<Cut.Table> found = new ArrayList<>();

        private Question(List<TableName> tables, Completion<Cut> completion) {
            this.tables = tables;
            this.completion = completion;
        }

        private void begin(int attempt) {
            if (attempt == ATTEMPTS_MAX) {
                fail(new UniserveException(ErrorCode.UNAVAILABLE, "the tables change faster than they are read"));
                return;
            }
            checks = new ArrayList<>();
            found = new ArrayList<>();
            table(0, attempt);
        }

        private void table(int at, int attempt) {
            if (at == tables.size()) {
                confirm(attempt);
                return;
            }
            TableName name = tables.get(at);
            registry.read(
                    RegistryPaths.log(name),
                    readLog -> registry.read(RegistryPaths.map(name), readMap -> {
                        if (readLog instanceof Outcome.Err<Versioned> err) {
                            fail(err.error());
                        } else if (readMap instanceof Outcome.Err<Versioned> err) {
                            fail(err.error());
                        } else {
                            Versioned log = ((Outcome.Ok<Versioned>) readLog).value();
                            Versioned map = ((Outcome.Ok<Versioned>) readMap).value();
                            if (!(map.value() instanceof TableMap actors)) {
                                fail(new UniserveException(
                                        ErrorCode.TABLE_NOT_FOUND, "table " + name + " does not exist"));
                            } else if (!(log.value() instanceof TableLog versions)) {
                                fail(noVersions(name));
                            } else {
                                checks.add(new Op.Check(RegistryPaths.log(name), log.version()));
                                checks.add(new Op.Check(RegistryPaths.map(name), map.version()));
                                found.add(new Cut.Table(
                                        name,
                                        versions.tableId(),
                                        versions.version(),
                                        actors.actors().stream()
                                                .map(ActorState::epoch)
                                                .toList()));
                                table(at + 1, attempt);
                            }
                        }
                    }));
        }

        private void confirm(int attempt) {
            registry.multi(checks, checked -> {
                if (checked instanceof Outcome.Err<MultiResult> err) {
                    fail(err.error());
                } else if (((Outcome.Ok<MultiResult>) checked).value().applied()) {
                    completion.done(Outcome.ok(new Cut(found)));
                } else {
                    registry.sync(synced -> begin(attempt + 1));
                }
            });
        }

        private void fail(UniserveException error) {
            completion.done(Outcome.err(error));
        }
    }
}
