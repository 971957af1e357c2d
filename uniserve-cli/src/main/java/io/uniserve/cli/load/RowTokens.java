package io.uniserve.cli.load;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.util.JsonParserDelegate;
import io.uniserve.limit.Limits;
import java.io.IOException;

/** A parser that fails where one row has more values than a row may have: each takes far more memory than text. Not thread-safe. */
final class RowTokens extends JsonParserDelegate {
    private long count;

    RowTokens(JsonParser parser) {
        super(parser);
    }

    /** Counts from here: a row begins. */
    void begin() {
        count = 0;
    }

    @Override
    public JsonToken nextToken() throws IOException {
        if (++count > 2L * Limits.ROW_TEXT_VALUES_MAX) { // a name each
            throw new StreamConstraintsException("a row has more than %,d values: make it smaller, or several of it"
                    .formatted(Limits.ROW_TEXT_VALUES_MAX));
        }
        return super.nextToken();
    }
}
