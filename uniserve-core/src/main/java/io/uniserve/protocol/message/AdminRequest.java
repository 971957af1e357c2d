package io.uniserve.protocol.message;

import io.uniserve.model.TableMeta;
import io.uniserve.model.TableName;

/** What clients ask of the leading coordinator. */
public sealed interface AdminRequest {
    /** Creates the table; {@code tableId} of the meta is ignored. Returns when every actor has a live primary. */
    record CreateTable(TableMeta meta) implements AdminRequest {}

    /** Definition and map of a table. */
    record DescribeTable(TableName name) implements AdminRequest {}

    /** Drops the table and its data. */
    record DropTable(TableName name) implements AdminRequest {}

    /** All tables. */
    record ListTables() implements AdminRequest {}

    /** Servers, actors, replicas, epochs, lag and load. */
    record Status() implements AdminRequest {}
}
