package io.uniserve.port.mongodb;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.MongoExecutionTimeoutException;
import com.mongodb.MongoWriteException;
import io.uniserve.error.ErrorCode;
import java.util.Optional;
import org.bson.BsonInvalidOperationException;
import org.bson.BsonSerializationException;
import org.bson.json.JsonParseException;

/**
 * Classifier of the driver's exceptions. A server that is dead, unreachable or starting is UNAVAILABLE: Uniserve then asks another replica,
 * and does not blame the rows of an update. Stateless.
 */
final class MongoErrorClassifier {
    static final int DUPLICATE_KEY = 11000;

    private MongoErrorClassifier() {}

    /** Empty for exceptions that are not the driver's. */
    static Optional<ErrorCode> code(Throwable failure) {
        if (failure instanceof MongoExecutionTimeoutException) {
            return Optional.of(ErrorCode.DEADLINE_EXCEEDED);
        }
        if (failure instanceof MongoBulkWriteException bulk) {
            return Optional.of(
                    bulk.getWriteErrors().isEmpty()
                            ? ErrorCode.UNAVAILABLE // of the write concern
                            : codeOf(bulk.getWriteErrors().get(0).getCode()));
        }
        if (failure instanceof MongoCommandException || failure instanceof MongoWriteException) {
            return Optional.of(codeOf(((MongoException) failure).getCode()));
        }
        if (failure instanceof MongoException) {
            return Optional.of(ErrorCode.UNAVAILABLE);
        }
        return failure instanceof BsonInvalidOperationException
                        || failure instanceof BsonSerializationException
                        || failure instanceof JsonParseException
                ? Optional.of(ErrorCode.INVALID_ARGUMENT)
                : Optional.empty();
    }

    private static ErrorCode codeOf(int code) {
        return switch (code) {
            case DUPLICATE_KEY -> ErrorCode.CONFLICT;
            case 50, 262 -> ErrorCode.DEADLINE_EXCEEDED; // MaxTimeMSExpired, ExceededTimeLimit
            case 59, 115, 168, 15952, 40324 -> ErrorCode.UNSUPPORTED; // no such command, stage or operator
            case 146, 292 -> ErrorCode.RESOURCE_EXHAUSTED; // ExceededMemoryLimit
            case 14031 -> ErrorCode.DISK_FULL; // OutOfDiskSpace
            default -> isFailure(code) ? ErrorCode.UNAVAILABLE : ErrorCode.INVALID_ARGUMENT;
        };
    }

    /** Faults of the server, its network, its users, or a collection that was dropped meanwhile, which no command causes. */
    private static boolean isFailure(int code) {
        return switch (code) {
            case 1, 6, 7, 8, 13, 18, 24, 26, 39, 43, 46, 63, 64, 89, 91, 112, 133, 134, 175, 189, 202, 237, 279 -> true;
            case 9001, 10107, 11600, 11601, 11602, 13388, 13435, 13436 -> true;
            default -> false;
        };
    }
}
