package io.uniserve.client;

import io.uniserve.api.plan.Answer;
import io.uniserve.api.plan.QueryText;
import io.uniserve.client.QueryOperationFactory.ResultKind;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing;
import io.uniserve.protocol.message.client.ReadMode;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Client of a Uniserve cluster. One client per process is enough: it is thread-safe, keeps one connection per server, and has a
 * constant number of threads for any number of operations.
 *
 * <pre>{@code
 * try (UniserveClient client = UniserveClient.builder().bootstrap("10.0.0.5:7070", "10.0.0.6:7071").build()) {
 *     Answer answer = client.query("speeches", "q=text:sitting&rows=5");
 *     System.out.println(answer.body().utf8());
 * }
 * }</pre>
 *
 * <p>Blocking methods wait on the caller's thread. Their {@code Async} forms return a {@link CompletionStage}, which completes on the
 * callback executor. By default this is a thread of the transport, and callbacks must not block it: a blocking method called there
 * fails with INVALID_ARGUMENT. Stages fail with {@link UniserveException}, or with the exception of the application's own combiner.
 * Dependent stages get it as the cause of a {@code CompletionException}, as usual.
 *
 * <p>Errors of every method: INVALID_ARGUMENT; CANCELLED on a closed client or an interrupted thread; RESOURCE_EXHAUSTED at the
 * client's limit ({@link UniserveClientBuilder#maxInFlight}); DEADLINE_EXCEEDED and UNAVAILABLE, with the attempts per server
 * ({@link UniserveException#tried}).
 */
public final class UniserveClient implements AutoCloseable {
    private final ClientCore core;

    private UniserveClient(ClientCore core) {
        this.core = core;
    }

    /** Creates a builder with default settings. */
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

    /**
     * Returns a handle of a table. It sends no request, so the table may not exist. Fails with INVALID_ARGUMENT if the name is
     * invalid.
     */
    public ClientTable table(String name) {
        return new ClientTable(core, new TableName(name));
    }

    /** Returns the administrative operations. */
    public Admin admin() {
        return new Admin(core, core.options().queryDeadline());
    }

    /**
     * Answers a query in the language of the table's engine, such as Solr's {@code q=text:dog&rows=5}. Blocks, with the client's
     * deadline. A server with the engine plans it; if that server fails or is slow, another one does.
     */
    public Answer query(String table, String text) {
        return query(table, text, core.options().queryDeadline());
    }

    /** Answers a query, as {@link #query(String, String)}, with a deadline of more than 0 and at most an hour. */
    public Answer query(String table, String text, Duration deadline) {
        QueryText query = new QueryText(new TableName(table), text);
        return ClientFuture.await(new QueryOperationFactory(core)
                .query(query, ReadMode.LINEARIZABLE, ResultKind.ANSWER, end(deadline), true));
    }

    /** Asynchronous form of {@link #query(String, String)}. */
    public CompletionStage<Answer> queryAsync(String table, String text) {
        return queryAsync(table, text, core.options().queryDeadline());
    }

    /** Asynchronous form of {@link #query(String, String, Duration)}. */
    public CompletionStage<Answer> queryAsync(String table, String text, Duration deadline) {
        try {
            QueryText query = new QueryText(new TableName(table), text);
            return ClientFuture.of(
                    new QueryOperationFactory(core)
                            .query(query, ReadMode.LINEARIZABLE, ResultKind.ANSWER, end(deadline), false),
                    core.options().callbackExecutor(),
                    answer -> answer);
        } catch (UniserveException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Creates a query of several tables in one snapshot. */
    public SnapshotQuery snapshotQuery() {
        return new SnapshotQuery(core);
    }

    /** Newest routing map of this client: cluster, tables, servers and coordinator. */
    public Routing routing() {
        return core.index().routing();
    }

    /**
     * Ends running operations with CANCELLED (updates: OUTCOME_UNKNOWN if rows may have been applied), closes connections and stops
     * threads, without waiting for servers. Idempotent.
     */
    @Override
    public void close() {
        core.close();
    }

    private long end(Duration deadline) {
        return core.deadlineNanos(DeadlineValidator.check("deadline", deadline));
    }
}
