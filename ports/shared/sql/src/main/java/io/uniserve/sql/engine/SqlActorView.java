package io.uniserve.sql.engine;

import io.uniserve.api.ActorView;
import io.uniserve.api.extra.ColumnSchema;
import io.uniserve.api.operator.OperatorContext;
import io.uniserve.sql.rows.SqlRows;
import java.nio.file.Path;
import java.util.Map;

/** View of an actor or of its snapshot: it answers statements of a query, and exports answers to files. */
public interface SqlActorView extends ActorView {
    /** Returns its columns. */
    ColumnSchema columns();

    /** Returns a directory for temporary files of this process. Its content may be deleted when the process starts. */
    Path scratch();

    /**
     * Writes the answer of a statement into files {@code s=SLOT/NAME} in an empty directory.
     *
     * @param work its last column is {@value StatementNaming#SLOT}, which is not written
     * @return number of rows per file
     */
    Map<Path, Long> export(ActorStatement work, Path folder, OperatorContext context);

    /** Answers a statement. */
    SqlRows answer(ActorStatement work, OperatorContext context);
}
