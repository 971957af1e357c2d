package io.uniserve.testkit.sql;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Connection;
import java.sql.Date;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reference of the matrix: an engine with JDBC that has all rows of all tables. */
public final class MatrixOracle {
    private final Connection connection;

    /** Reference on this connection. */
    public MatrixOracle(Connection connection) {
        this.connection = connection;
    }

    /** Creates and fills a table. */
    public void load(MatrixTable table) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE " + table.name() + " (" + table.columns() + ")");
        }
        String places = "?, ".repeat(table.names().size() - 1) + "?";
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO " + table.name() + " VALUES (" + places + ")")) {
            for (List<@Nullable Object> row : table.rows()) {
                for (int i = 0; i < row.size(); i++) {
                    insert.setObject(i + 1, row.get(i));
                }
                insert.execute();
            }
        }
    }

    /** Rows of a statement's answer, with the value types of {@link MatrixValue}. */
    List<List<@Nullable Object>> query(String sql) throws SQLException {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(sql)) {
            while (found.next()) {
                List<@Nullable Object> row = new ArrayList<>();
                for (int i = 1; i <= found.getMetaData().getColumnCount(); i++) {
                    boolean moment = found.getMetaData().getColumnType(i) == Types.TIMESTAMP;
                    row.add(value(moment ? found.getObject(i, LocalDateTime.class) : found.getObject(i)));
                }
                rows.add(row);
            }
        }
        return rows;
    }

    private static @Nullable Object value(@Nullable Object value) {
        if (value == null || value instanceof Boolean || value instanceof Double || value instanceof BigDecimal) {
            return value;
        }
        if (value instanceof BigInteger number) {
            return new BigDecimal(number);
        }
        if (value instanceof Number number) {
            return BigDecimal.valueOf(number.longValue());
        }
        // SQL defines date plus days as a date; the reference may return midnight of that day.
        if (value instanceof LocalDateTime moment) {
            return moment.toLocalDate().toString();
        }
        return value instanceof Date day ? day.toLocalDate().toString() : value.toString();
    }
}
