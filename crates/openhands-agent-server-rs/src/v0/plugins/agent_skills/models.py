"""What a model says about sounds and pictures. It is asked over the API of OpenAI, at the sandbox's own cost.

`OPENAI_API_KEY` must be set in the kernel; `OPENAI_BASE_URL`, `OPENAI_MODEL` and `MAX_TOKEN` may be.
"""

import base64
import os

from .file_reader import _needs

_DESCRIBE = 'Describe this image as detail as possible.'
#: How many frames of a video are looked at, at most.
_MAX_FRAMES = 30


class _NoKey(Exception):
    pass


def _client():
    from openai import OpenAI

    key = os.getenv('OPENAI_API_KEY') or os.getenv('SANDBOX_ENV_OPENAI_API_KEY')
    if not key:
        raise _NoKey('OPENAI_API_KEY is not set')
    return OpenAI(api_key=key, base_url=os.getenv('OPENAI_BASE_URL', 'https://api.openai.com/v1'))


def _describe(jpeg, task):
    picture = {'type': 'image_url', 'image_url': {'url': f'data:image/jpeg;base64,{base64.b64encode(jpeg).decode()}'}}
    answer = _client().chat.completions.create(
        model=os.getenv('OPENAI_MODEL', 'gpt-4o'),
        messages=[{'role': 'user', 'content': [{'type': 'text', 'text': task}, picture]}],
        max_tokens=int(os.getenv('MAX_TOKEN', '500')),
    )
    return answer.choices[0].message.content


@_needs('openai')
def parse_audio(file_path, model='whisper-1'):
    """Prints what is said in a sound file.

    Args:
        file_path: str: The file.
        model: str: The model that listens.
    """
    print(f'[Transcribing audio file from {file_path}]')
    try:
        with open(file_path, 'rb') as file:
            print(_client().audio.translations.create(model=model, file=file).text)
    except ModuleNotFoundError:
        raise
    except Exception as failure:
        print(f'Error transcribing audio file: {failure}')


@_needs('openai')
def parse_image(file_path, task=_DESCRIBE):
    """Prints what a model sees in a picture.

    Args:
        file_path: str: The file.
        task: str: What the model is asked.
    """
    print(f'[Reading image file from {file_path}]')
    try:
        with open(file_path, 'rb') as file:
            print(_describe(file.read(), task))
    except ModuleNotFoundError:
        raise
    except Exception as failure:
        print(f'Error with the request: {failure}')


def _frames(file_path, interval):
    """Every so many frames of a video as JPEG, with their numbers; the whole video is never in memory."""
    import cv2

    video = cv2.VideoCapture(str(file_path))
    try:
        total = int(video.get(cv2.CAP_PROP_FRAME_COUNT))
        interval = max(1, interval, -(-total // _MAX_FRAMES))
        number = 0
        while True:
            success, frame = video.read()
            if not success:
                return
            if number % interval == 0:
                yield number, cv2.imencode('.jpg', frame)[1].tobytes()
            number += 1
    finally:
        video.release()


@_needs('openai opencv-python-headless')
def parse_video(file_path, task=_DESCRIBE, frame_interval=30):
    """Prints what a model sees in some frames of a video, 30 at most.

    Args:
        file_path: str: The file.
        task: str: What the model is asked about each frame.
        frame_interval: int: How many frames to go on each time.
    """
    print(f'[Processing video file from {file_path} with frame interval {frame_interval}]')
    task = task or 'This is one frame from a video, please summarize this frame.'
    for index, (number, frame) in enumerate(_frames(file_path, frame_interval), 1):
        print(f'Process the {file_path}, current No. {number} frame...')
        try:
            print(f"Frame {index}'s content: {_describe(frame, task)}\n")
        except ModuleNotFoundError:
            raise
        except Exception as failure:
            print(f'Error with the request: {failure}')
