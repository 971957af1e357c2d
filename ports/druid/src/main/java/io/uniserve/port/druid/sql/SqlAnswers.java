package io.uniserve.port.druid.sql;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.uniserve.api.plan.Answer;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.StringJoiner;

/** Writer of statements' answers as JSON, in the form of all ports with SQL: columns with names and types, then one line per row. */
final class SqlAnswers {
    private SqlAnswers() {}

    static Answer of(SqlResult result, ObjectMapper json) {
        try {
            StringJoiner columns = new StringJoiner(",", "{\"columns\":[", "],\n");
            for (int i = 0; i < result.names().size(); i++) {
                columns.add(
                        "{\"name\":" + json.writeValueAsString(result.names().get(i)) + ",\"type\":"
                                + json.writeValueAsString(result.types().get(i)) + "}");
            }
            StringJoiner rows = new StringJoiner(",\n", "\"rows\":[\n", "\n]}\n").setEmptyValue("\"rows\":[]}\n");
            for (Object[] row : result.rows()) {
                rows.add(json.writeValueAsString(row));
            }
            return new Answer("application/json", Bytes.utf8(columns.toString() + rows))
                    .withRows(result.rows().size());
        } catch (JsonProcessingException e) {
            throw new UniserveException(
                    ErrorCode.PORT_FAILED, "the answer cannot be written as JSON: " + e.getOriginalMessage(), e);
        }
    }
}
