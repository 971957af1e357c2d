package io.uniserve.aws.s3;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.ChecksumAlgorithm;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.CreateMultipartUploadRequest;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.ServerSideEncryption;
import software.amazon.awssdk.services.s3.model.UploadPartResponse;

/** Upload of large objects in parts. The object appears with the last request, if its key is free. Thread-safe. */
final class MultipartUploader {
    private static final Logger LOG = LoggerFactory.getLogger(MultipartUploader.class);
    private static final int CONFLICT = 409;
    /** Times that an upload starts anew after a conflict. */
    private static final int UPLOADS_MAX = 3;

    private static final int PARTS_MAX = 10_000;

    private final S3Client client;
    private final S3Location location;
    private final S3Requests requests;

    MultipartUploader(S3Client client, S3Location location, S3Requests requests) {
        this.client = client;
        this.location = location;
        this.requests = requests;
    }

    /**
     * Uploads an object. Returns false if the key is in use.
     *
     * @param isStored true if the key has this put's object
     */
    boolean upload(ObjectPut put, Predicate<ObjectPut> isStored) {
        for (int upload = 1; ; upload++) {
            String id = create(put);
            boolean complete = false;
            try {
                List<CompletedPart> parts = sendParts(put, id);
                complete(put, id, parts);
                complete = true;
                return true;
            } catch (S3Exception e) {
                if (e.statusCode() == S3ErrorMapper.PRECONDITION_FAILED) {
                    return false;
                }
                // The upload is gone: an earlier request has completed it, or a conflict has ended it.
                if (isStored.test(put)) {
                    return true;
                }
                if (upload == UPLOADS_MAX) {
                    throw new UniserveException(
                            ErrorCode.UNAVAILABLE,
                            "cannot store " + put.key() + ": " + UPLOADS_MAX + " uploads in parts ended early",
                            e);
                }
            } finally {
                if (!complete) {
                    abort(put.fullKey(), id);
                }
            }
        }
    }

    private String create(ObjectPut put) {
        CreateMultipartUploadRequest.Builder request = CreateMultipartUploadRequest.builder()
                .bucket(location.bucket())
                .key(put.fullKey())
                .metadata(put.metadata())
                .checksumAlgorithm(ChecksumAlgorithm.SHA256);
        location.kmsKey()
                .ifPresent(key -> request.serverSideEncryption(ServerSideEncryption.AWS_KMS)
                        .ssekmsKeyId(key));
        return requests.send(
                        "start the upload of " + put.key(),
                        "s3:PutObject",
                        () -> client.createMultipartUpload(request.build()))
                .uploadId();
    }

    private List<CompletedPart> sendParts(ObjectPut put, String id) {
        List<CompletedPart> parts = new ArrayList<>();
        byte[] body = put.body();
        int partBytes = (int) Math.max(location.partBytes(), body.length / PARTS_MAX + 1);
        for (int from = 0; from < body.length; from += partBytes) {
            int start = from;
            int length = Math.min(partBytes, body.length - from);
            int number = parts.size() + 1;
            String checksum = put.checksum(start, length);
            UploadPartResponse response = requests.send(
                    "upload part " + number + " of " + put.key(),
                    "s3:PutObject",
                    () -> client.uploadPart(
                            request -> request.bucket(location.bucket())
                                    .key(put.fullKey())
                                    .uploadId(id)
                                    .partNumber(number)
                                    .checksumSHA256(checksum),
                            put.part(start, length)),
                    S3ErrorMapper.NOT_FOUND);
            parts.add(CompletedPart.builder()
                    .partNumber(number)
                    .eTag(response.eTag())
                    .checksumSHA256(checksum)
                    .build());
        }
        return parts;
    }

    private void complete(ObjectPut put, String id, List<CompletedPart> parts) {
        requests.send(
                "complete the upload of " + put.key(),
                "s3:PutObject",
                () -> client.completeMultipartUpload(request -> request.bucket(location.bucket())
                        .key(put.fullKey())
                        .uploadId(id)
                        .ifNoneMatch("*")
                        .multipartUpload(completed -> completed.parts(parts))),
                S3ErrorMapper.PRECONDITION_FAILED,
                S3ErrorMapper.NOT_FOUND,
                CONFLICT);
    }

    private void abort(String fullKey, String id) {
        try {
            requests.send(
                    "end the upload of " + fullKey,
                    "s3:AbortMultipartUpload",
                    () -> client.abortMultipartUpload(request ->
                            request.bucket(location.bucket()).key(fullKey).uploadId(id)),
                    S3ErrorMapper.NOT_FOUND);
        } catch (S3Exception e) {
            LOG.debug("upload {} of {} is gone", id, fullKey);
        } catch (UniserveException e) {
            LOG.warn("an unfinished upload of {} stays and costs storage: {}", fullKey, e.getMessage());
        }
    }
}
