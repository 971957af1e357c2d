package io.uniserve.cli.load;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.util.JsonParserDelegate;
import io.uniserve.limit.Limits;
import java.io.IOException;

/** Parser that fails if one row has more values than allowed: each takes far more memory than its text. Not thread-safe. */
final class RowSizeLimitParser extends JsonParserDelegate {
    private long count;

    RowSizeLimitParser(JsonParser parser) {
        super(parser);
    }

    /** Starts the count of a new row. */
    void startRow() {
        count = 0;
    }

    @Override
    public JsonToken nextToken() throws IOException {
        if (++count > 2L * Limits.ROW_TEXT_VALUES_MAX) { // each value has a name
            throw new StreamConstraintsException("a row has more than %,d values: make it smaller, or split it"
                    .formatted(Limits.ROW_TEXT_VALUES_MAX));
        }
        return super.nextToken();
    }
}
