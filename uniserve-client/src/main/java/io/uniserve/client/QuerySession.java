package io.uniserve.client;

import io.uniserve.api.operator.Combiner;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.api.plan.Answer;
import io.uniserve.api.plan.QueryText;
import io.uniserve.client.QueryOperationFactory.ResultKind;
import io.uniserve.client.operation.Operation;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableName;
import io.uniserve.protocol.client.query.Query;
import io.uniserve.protocol.client.query.QueryResult;
import io.uniserve.protocol.client.query.ReadSession;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.message.client.ReadMode;
import io.uniserve.protocol.message.client.ReadRequest;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Session: several queries of one table that read one state of it while updates continue, the state of each actor at the opening of
 * the session. It serves pages by cursor, or a count followed by the counted documents. Servers hold the state until the session is
 * closed, its time is over, or they need the capacity for others. After that, or if a server with a part of it dies, queries fail
 * with VERSION_GONE, never with a mixture of states. Then open another session.
 *
 * <pre>{@code
 * try (QuerySession session = client.table("speeches").session(Duration.ofMinutes(2))) {
 *     Answer first = session.query("q=text:parliament&sort=id asc&rows=100&cursorMark=*");
 * }
 * }</pre>
 *
 * <p>Thread-safe; queries run one after the other.
 */
public final class QuerySession implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(QuerySession.class);

    private final ClientCore core;
    private final TableName table;
    private final ReadSession readSession;
    private final long untilNanos;
    private boolean closed;

    private QuerySession(ClientCore core, TableName table, ReadSession states, long untilNanos) {
        this.core = core;
        this.table = table;
        this.readSession = states;
        this.untilNanos = untilNanos;
    }

    /** Holds the state of every actor. Blocks, with the client's deadline. */
    static QuerySession open(ClientCore core, TableName table, Duration time) {
        long until = core.deadlineNanos(DeadlineValidator.check("time", time));
        ReadSession states = new ReadSession(core.nextId(), core.nextId(), until);
        QuerySession session = new QuerySession(core, table, states, until);
        boolean opened = false;
        try {
            session.read(ReadRequest.HOLD, Bytes.EMPTY);
            opened = true;
            return session;
        } finally {
            if (!opened) {
                session.close();
            }
        }
    }

    /**
     * Answers a query in the language of the table's engine, as {@link UniserveClient#query(String, String)}. Blocks, until the
     * client's deadline or the end of the session's time. Also fails with VERSION_GONE.
     */
    public synchronized Answer query(String text) {
        return runQuery(text, ResultKind.ANSWER);
    }

    /** Runs a query as {@link #query} does, and returns the steps of its plan, as {@link ActorSelection#explain} does. Blocks. */
    public synchronized Answer explain(String text) {
        return runQuery(text, ResultKind.STEPS);
    }

    private Answer runQuery(String text, ResultKind wanted) {
        checkOpen();
        return ClientFuture.await(new QueryOperationFactory(core)
                .query(new QueryText(table, text), Optional.of(readSession), wanted, deadlineNanos(), true));
    }

    /** Runs an operator on all actors, as {@link ActorSelection#retrieve}. Blocks. Also fails with VERSION_GONE. */
    public synchronized <P, V, R> R retrieve(RetrieveCall<P, V> call, P parameters, Combiner<V, R> combiner) {
        checkOpen();
        return ActorSelection.combine(read(call.id(), ActorSelection.encode(call, parameters)), call, combiner);
    }

    private QueryResult read(String operator, Bytes parameters) {
        Query query = new Query(table, Optional.empty(), operator, parameters, ReadMode.LINEARIZABLE, deadlineNanos());
        return ClientFuture.await(new QueryOperationFactory(core).retrieve(query, Optional.of(readSession), true));
    }

    private long deadlineNanos() {
        long end = core.deadlineNanos(core.options().queryDeadline());
        return end - untilNanos < 0 ? end : untilNanos;
    }

    private void checkOpen() {
        if (closed) {
            throw new UniserveException(ErrorCode.VERSION_GONE, "this session is closed; open another one");
        }
    }

    /** Releases the state on the servers, without waiting for them. Idempotent. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            Operation<Done> unused = new QueryOperationFactory(core).release(readSession);
        } catch (UniserveException e) {
            LOG.debug("cannot release a session's states; servers hold them until its time ends", e);
        }
    }
}
