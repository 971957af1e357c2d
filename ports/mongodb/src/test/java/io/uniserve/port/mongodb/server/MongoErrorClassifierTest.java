package io.uniserve.port.mongodb.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.MongoCommandException;
import com.mongodb.ServerAddress;
import io.uniserve.error.ErrorCode;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.h2.mvstore.DataUtils;
import org.h2.mvstore.MVStoreException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Errors of the server's store are outages; errors of a command are the command's, whatever text they quote. */
class MongoErrorClassifierTest {
    private static MongoCommandException refusal(int code, String text) {
        BsonDocument answer = new BsonDocument("ok", new BsonInt32(0))
                .append("code", new BsonInt32(code))
                .append("errmsg", new BsonString(text));
        return new MongoCommandException(answer, new ServerAddress());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Unknown error: org.h2.mvstore.MVStoreException: Writing to a channel failed; length 4096 at 8192 [2.3.232/2]",
                "Unknown error: This store is closed [2.3.232/4]",
                "Unknown error: Map null(1) is closed. org.h2.mvstore.MVStoreException: Writing failed [2.3.232/2] [2.3.232/4]",
                "Unknown error: The write format 2 is larger\nthan the supported format [2.3.232/5]",
            })
    void aServerWhoseStoreFailedIsUnavailable(String text) {
        assertThat(MongoErrorClassifier.code(refusal(-1, text))).contains(ErrorCode.UNAVAILABLE);
    }

    @Test
    void everyMessageOfTheStoreIsRecognized() {
        for (int code = DataUtils.ERROR_READING_FAILED; code <= DataUtils.ERROR_TRANSACTIONS_DEADLOCK; code++) {
            MVStoreException failure = DataUtils.newMVStoreException(code, "Map {0}({1}) is closed", null, 1);
            assertThat(MongoErrorClassifier.code(refusal(-1, "Unknown error: " + failure.getMessage())))
                    .as(failure.getMessage())
                    .contains(ErrorCode.UNAVAILABLE);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "unknown top level operator: Unknown error: This store is closed",
                "cannot parse \"x [2.3.232/4]\"",
                "Unknown error: For input string: \"x\"",
            })
    void theTextOfACommandIsNoFailureOfTheStore(String text) {
        assertThat(MongoErrorClassifier.code(refusal(-1, text))).contains(ErrorCode.INVALID_ARGUMENT);
        assertThat(MongoErrorClassifier.code(refusal(2, text))).contains(ErrorCode.INVALID_ARGUMENT);
    }
}
