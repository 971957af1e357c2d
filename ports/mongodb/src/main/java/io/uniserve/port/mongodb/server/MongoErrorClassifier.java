package io.uniserve.port.mongodb.server;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.MongoExecutionTimeoutException;
import com.mongodb.MongoSocketOpenException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.MongoWriteException;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.Optional;
import java.util.regex.Pattern;
import org.bson.BsonInvalidOperationException;
import org.bson.BsonSerializationException;
import org.bson.json.JsonParseException;

/**
 * Classifier of the driver's exceptions. A server that is down, stopping or starting is UNAVAILABLE, which clients retry. A server that dies
 * while it runs a command is unclassified: the command may have caused that, so each replica is tried once. Stateless.
 */
public final class MongoErrorClassifier {
    static final int DUPLICATE_KEY = 11000;

    /**
     * Texts of mongo-java-server's unexpected errors that come from its store. H2 ends each of its messages with its version and its code.
     * Refusals, which may quote a user's text, begin otherwise.
     */
    private static final Pattern STORE_FAILURE = Pattern.compile(
            "(^|')Unknown error: (\\S*MVStoreException|This store is closed|.* \\[\\d+\\.\\d+\\.\\d+/\\d+])",
            Pattern.DOTALL);

    private MongoErrorClassifier() {}

    /** Empty for faults of the server that the command may have caused, and for exceptions that are not the driver's. */
    static Optional<ErrorCode> code(Throwable failure) {
        if (failure instanceof MongoExecutionTimeoutException) {
            return Optional.of(ErrorCode.DEADLINE_EXCEEDED);
        }
        if (failure instanceof MongoBulkWriteException bulk
                && !bulk.getWriteErrors().isEmpty()) {
            return codeOf(
                    bulk.getWriteErrors().get(0).getCode(),
                    bulk.getWriteErrors().get(0).getMessage());
        }
        if (failure instanceof MongoCommandException || failure instanceof MongoWriteException) {
            return codeOf(((MongoException) failure).getCode(), String.valueOf(failure.getMessage()));
        }
        if (failure instanceof MongoTimeoutException || failure instanceof MongoSocketOpenException) {
            return Optional.of(ErrorCode.UNAVAILABLE);
        }
        return failure instanceof BsonInvalidOperationException
                        || failure instanceof BsonSerializationException
                        || failure instanceof JsonParseException
                ? Optional.of(ErrorCode.INVALID_ARGUMENT)
                : Optional.empty();
    }

    private static Optional<ErrorCode> codeOf(int code, String message) {
        if (code <= 0 && isStoreFailure(message)) {
            return Optional.of(ErrorCode.UNAVAILABLE);
        }
        return switch (code) {
            case DUPLICATE_KEY -> Optional.of(ErrorCode.CONFLICT);
            case 50, 262 -> Optional.of(ErrorCode.DEADLINE_EXCEEDED); // MaxTimeMSExpired, ExceededTimeLimit
            case 59, 115, 168, 15952, 40324 -> Optional.of(ErrorCode.UNSUPPORTED); // no such command, stage or operator
            case 146, 292 -> Optional.of(ErrorCode.RESOURCE_EXHAUSTED); // ExceededMemoryLimit
            case 14031 -> Optional.of(ErrorCode.DISK_FULL); // OutOfDiskSpace
            case 1, 8, 13, 18, 39 -> Optional.empty(); // internal errors, and users without permission
            default -> Optional.of(isOutage(code) ? ErrorCode.UNAVAILABLE : ErrorCode.INVALID_ARGUMENT);
        };
    }

    /** mongo-java-server has no code for a file that it cannot write: H2 closes it for good. */
    private static boolean isStoreFailure(String message) {
        return STORE_FAILURE.matcher(message).find();
    }

    /** The server stops, changes its role, cannot reach another one, or has dropped a collection or cursor meanwhile. */
    private static boolean isOutage(int code) {
        return switch (code) {
            case 6, 7, 24, 26, 43, 46, 63, 64, 89, 91, 112, 133, 134, 175, 189, 202, 237, 279 -> true;
            case 9001, 10107, 11600, 11601, 11602, 13388, 13435, 13436 -> true;
            default -> false;
        };
    }

    /** The failure of a write that no user's command is part of: if the server dies, the documents are not to blame. */
    public static UniserveException ofWrite(UniserveException failure) {
        boolean server = failure.code() == ErrorCode.PORT_FAILED && failure.getCause() instanceof MongoException;
        return server ? new UniserveException(ErrorCode.UNAVAILABLE, failure.reason(), failure) : failure;
    }
}
