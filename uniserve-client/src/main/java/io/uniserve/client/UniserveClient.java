package io.uniserve.client;

import io.uniserve.api.plan.Answer;
import io.uniserve.api.plan.QueryText;
import io.uniserve.client.QueryOperations.Wanted;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Routing;
import io.uniserve.model.TableName;
import io.uniserve.protocol.message.ReadMode;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A cluster as an application sees it. One client a process is enough: it is safe for use by several threads, keeps one
 * connection to each server, and has a constant number of threads however many operations are under way.
 *
 * <p>Blocking methods wait on the caller's thread. Their {@code Async} twins return a {@link CompletionStage} that completes on
 * the callback executor, by default a thread of the transport, which callbacks must not block: a blocking method called there
 * fails with INVALID_ARGUMENT. Stages fail with {@link UniserveException}, or with what the application's own
 * combiner threw, and dependent stages see it as the
 * cause of a {@code CompletionException}, as usual.
 *
 * <p>Errors of every method: INVALID_ARGUMENT; CANCELLED on a closed client or an interrupted thread; RESOURCE_EXHAUSTED when
 * there is no room ({@link UniserveClientBuilder#maxInFlight}); DEADLINE_EXCEEDED, UNAVAILABLE, with what was tried on which
 * server ({@link UniserveException#tried}).
 */
public final class UniserveClient implements AutoCloseable {
    private final ClientCore core;

    private UniserveClient(ClientCore core) {
        this.core = core;
    }

    /** Collects settings. */
    public static UniserveClientBuilder builder() {
        return new UniserveClientBuilder();
    }

    /** Connects with these options; see {@link UniserveClientBuilder#build}. */
    public static UniserveClient connect(ClientOptions options) {
        ClientCore core = new ClientCore(options);
        try {
            core.connect();
        } catch (UniserveException e) {
            core.close();
            throw e;
        }
        return new UniserveClient(core);
    }

    /** A table by name; asks nobody, so the table may not exist. INVALID_ARGUMENT where no table can have the name. */
    public ClientTable table(String name) {
        return new ClientTable(core, new TableName(name));
    }

    /** Creates, describes and drops tables. */
    public Admin admin() {
        return new Admin(core, core.options().queryDeadline());
    }

    /**
     * Answers a query in the language of the table's engine, e.g. Solr's {@code q=text:dog&rows=5}; blocks, with the client's
     * deadline. A server that has the engine plans it; another one does when that server fails or is slow.
     */
    public Answer query(String table, String text) {
        return query(table, text, core.options().queryDeadline());
    }

    /** As {@link #query(String, String)}, with a deadline of more than 0 and at most an hour. */
    public Answer query(String table, String text, Duration deadline) {
        QueryText query = new QueryText(new TableName(table), text);
        return ClientFuture.await(
                new QueryOperations(core).text(query, ReadMode.LINEARIZABLE, Wanted.ANSWER, end(deadline), true));
    }

    /** As {@link #query(String, String)}, without waiting. */
    public CompletionStage<Answer> queryAsync(String table, String text) {
        return queryAsync(table, text, core.options().queryDeadline());
    }

    /** As {@link #query(String, String, Duration)}, without waiting. */
    public CompletionStage<Answer> queryAsync(String table, String text, Duration deadline) {
        try {
            QueryText query = new QueryText(new TableName(table), text);
            return ClientFuture.of(
                    new QueryOperations(core).text(query, ReadMode.LINEARIZABLE, Wanted.ANSWER, end(deadline), false),
                    core.options().callbackExecutor(),
                    answer -> answer);
        } catch (UniserveException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Begins a read of several tables as of one moment. */
    public SnapshotQuery cut() {
        return new SnapshotQuery(core);
    }

    /** The newest routing map this client has: its cluster, tables, servers and coordinator. */
    public Routing routing() {
        return core.index().routing();
    }

    /**
     * Ends what is under way with CANCELLED (updates: OUTCOME_UNKNOWN where rows may have been applied), closes connections and
     * ends threads, without waiting for servers. Idempotent.
     */
    @Override
    public void close() {
        core.close();
    }

    private long end(Duration deadline) {
        return core.deadlineNanos(Deadlines.check("deadline", deadline));
    }
}
