package io.uniserve.port.monetdb;

import io.uniserve.api.extra.ColumnSchema;
import io.uniserve.sql.engine.ActorStatement;
import io.uniserve.sql.engine.RowCheckpointFile;
import io.uniserve.sql.engine.RowReader;
import io.uniserve.sql.rows.SqlRows;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Base class of an actor and its views, as operators see them. */
abstract class MonetTable extends RowReader {
    private static final int PIECE_ROWS = 50_000;

    MonetTable(ColumnSchema columns) {
        super(MonetDatabase.MONETDB, columns);
    }

    /** Reader that gets a query for the published rows. */
    @FunctionalInterface
    interface Reading<T> {
        T read(String rows) throws Exception;
    }

    /** Runs the reading; the rows of its query do not change meanwhile. */
    abstract <T> T read(Reading<T> reading) throws Exception;

    /** Answers a part of a query. */
    final SqlRows query(ActorStatement work) {
        return MonetDatabase.QUERIES.call(
                "answer a query",
                () -> MonetDatabase.RELATIONS.read(
                        work.relations(),
                        made -> read(rows -> {
                            Map<String, String> all = new TreeMap<>(made);
                            all.put(MonetDialect.ROWS_NAME, rows);
                            return MonetDatabase.answer(all, work.statement());
                        })));
    }

    @Override
    protected final void forEachRow(RowCheckpointFile.Rows consumer) throws Exception {
        read(rows -> {
            long from = 0;
            int read = PIECE_ROWS;
            while (read == PIECE_ROWS) {
                List<List<@Nullable String>> piece = MonetDatabase.readPage(rows, from, PIECE_ROWS);
                consumer.accept(piece);
                read = piece.size();
                from += read;
            }
            return from;
        });
    }
}
